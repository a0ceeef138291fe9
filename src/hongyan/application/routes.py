"""The way back to where a request came from."""

from hongyan.domain.bindings import Binding
from hongyan.domain.conversations import Turn
from hongyan.domain.deliveries import Route
from hongyan.domain.requests import Request

__all__ = ["route_of"]


def route_of(request: Request, binding: Binding | None, turn: Turn | None = None) -> Route:
    """Give the way back to a request's place, on the authority of its binding as it is now."""
    return Route(
        app=request.app,
        chat_id=request.chat_id,
        reply_to=request.message_id,
        in_thread=bool(request.thread_root),
        request_id=request.id,
        turn_id=turn.id if turn else None,
        session_id=turn.session_id if turn else None,
        binding_id=binding.id if binding else None,
        binding_revision=binding.revision if binding else 0,
    )
