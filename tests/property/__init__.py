"""Random days of a gateway: whatever people, platforms and machines do in whatever order, the promises hold.

A seed gives the acts of an example, `play` carries them out, and `promises` looks at the platform afterwards.
"""

__all__: list[str] = []
