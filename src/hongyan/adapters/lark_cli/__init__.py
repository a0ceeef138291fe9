"""The official command-line tool of the platform as a subprocess, for consent without a gateway. Nothing is here yet."""

__all__: list[str] = []
