"""The doors: each parses what comes in, calls a use case or the wiring, and renders what comes out.

`daemon` is the gateway as a process, `web` its HTTP interface and console, `cli` the command line, a light process
of its own that talks to the daemon's socket, `mcp` the agents' tools. No door names an adapter, SQL, or another door.
"""

__all__: list[str] = []
