"""The agent's tools over the Model Context Protocol: `hongyan mcp`.

An agent speaks to it over standard input and output, and the gateway binds who is speaking; no credential passes
through here. Nothing is served yet: what an agent may call arrives together with the consent gate.
"""

__all__: list[str] = []
