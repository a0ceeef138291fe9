"""The command line: a light process that asks the gateway over its Unix socket and renders the answer.

`main` puts the commands together and `door` is the last one to hear of a failure; `call` gives every command its home
and its `--json`; `gateway` speaks HTTP over the socket; `outcome` says which failure ends with which exit code;
`records` reads what came back; `screen` and `checks` draw it; `words` holds every text in English and Chinese; `units`
describes the machine's own supervisor. `commands/` has one file a group of nouns.
Whatever works without a gateway needs the wiring, which is heavy: `offline` is a program of its own that commands turn
into, so that no other command pays for it. Begin with `main`.
"""

__all__: list[str] = []
