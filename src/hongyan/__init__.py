"""Hongyan: a self-hosted gateway between Feishu/Lark and AI agents that proves what it did.

`domain` decides, `application` acts, `ports` say what acting needs, `adapters` do it, `bootstrap` joins them, and
`entrypoints` are the doors. ARCHITECTURE.md draws the rooms.
"""

__all__: list[str] = []
