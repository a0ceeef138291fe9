"""The use cases, one a file: what happens, in which order, with which transaction.

A use case reads a snapshot, lets the domain decide, commits `Changes`, and only then touches the world. Nothing here
knows SQL, HTTP or a wire format. Begin with `desk.py` (what a use case may touch), then follow a message:
`accept_message`, `admit`, `run_turn`, `end_turn`, `deliver`, `verify`; `recover` puts in order what a crash cut off,
`workers` carries it all.
"""

__all__: list[str] = []
