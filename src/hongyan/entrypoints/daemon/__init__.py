"""The process that runs: `python -m hongyan.entrypoints.daemon`, which `hongyan up` becomes.

It takes the home, opens its doors (a loopback port and a Unix socket), carries the gateway until a signal comes, and
closes everything within a bounded time. With the simulated Feishu it also brings that up as a child and sets the
rehearsal up. Begin with `main.py`; `doors.py` listens, `site.py` is what is served, `neighbour.py` speaks to a gateway
that has the home already, `simulator.py` and `rehearse.py` are the simulated side.
"""

__all__: list[str] = []
