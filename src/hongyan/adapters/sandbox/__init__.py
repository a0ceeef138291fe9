"""The process boundary around agents and the broker of model keys. Nothing is here yet: approvals are advisory."""

__all__: list[str] = []
