"""Facts and decisions, one noun a module: pure values, state tables and functions.

Time, ids and chance come in as arguments; a decision goes out as a value or as `Changes`. No input or output, no clock,
no library. Begin with `requests`, `conversations` and `deliveries`: their tables of moves are the gateway.
"""

__all__: list[str] = []
