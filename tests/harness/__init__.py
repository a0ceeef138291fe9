"""The whole gateway under the tests' hand: real store, real wire, real agent processes, but our clock and our chance.

`world` puts a gateway and a simulated platform together and is the place to begin; `clock` moves both times at once,
`kill_points` names the moments at which a crash may hit, `processes` runs gateways that can really be killed. The
oracle is what the simulator saw, never what the gateway says of itself.
"""

from tests.harness.world import World, open_world

__all__ = ["World", "open_world"]
