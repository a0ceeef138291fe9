"""The official command-line tool of the platform as a subprocess. Nothing is here yet."""

__all__: list[str] = []
