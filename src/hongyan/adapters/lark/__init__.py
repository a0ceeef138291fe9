"""Feishu and Lark, spoken directly: the chat port's doors for one App.

Begin with `app`, which names every call and what it means; `client` makes them (limits in `limiter`, the token in
`tokens`, one request in `transport`), `wire` and `content` say what the answers mean, `errors` holds the table of the
platform's numbers. The long connection starts in `connection`: `endpoint` finds its address, `line` is one open socket
(`frames` and `fragments` are its bytes), `intake` hands events on and acknowledges them after they were kept.

Nothing here decides what a message is for, and nothing retries a write: both are the application's.
"""

from hongyan.adapters.lark.app import LarkApp
from hongyan.adapters.lark.connection import LarkListener
from hongyan.adapters.lark.settings import LarkSettings

__all__ = ["LarkApp", "LarkListener", "LarkSettings"]
