"""What the gateway talks to, one folder each: the chat platform, the store, agent programs, the process boundary.

An adapter implements Protocols of `hongyan.ports` and knows neither another adapter nor a use case; bootstrap alone
names them.
"""

__all__: list[str] = []
