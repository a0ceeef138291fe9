"""The REST surface: routes, field checks and envelopes of the simulated platform.

`gate.py` takes a call in, applies faults and checks the token; `routes.py` is the list of what exists; the other
modules hold the calls of one subject each. The rules themselves live in the package above.
"""

__all__: list[str] = []
