"""What follows when the platform refuses words for good; nothing is said in another way before this was looked at."""

from hongyan.application.desk import Desk
from hongyan.application.read_back import find_written
from hongyan.domain.deliveries import Part
from hongyan.domain.errors import ChatFormRefusedError, ChatNotFoundError, ChatRejectedError, ChatTargetGoneError
from hongyan.domain.fallbacks import in_next_form, without_target
from hongyan.domain.identity import MessageId
from hongyan.domain.markdown.forms import FORMS
from hongyan.domain.messages import ChatKind
from hongyan.ports import queries

__all__ = ["after_refusal"]


async def after_refusal(desk: Desk, part: Part, error: ChatRejectedError, *, doubted: bool) -> MessageId | Part | None:
    """Give the message of an earlier attempt that was written after all, or the part that follows, or None.

    `doubted` says that an earlier attempt had no clear outcome: the refusal of this one proves nothing about it. Raise
    the reading errors of the chat port: then nothing is known yet, and the part is to be tried again.
    """
    if part.transport not in FORMS:
        return None
    if doubted and (written := await find_written(desk, part)) is not None:
        return written
    if isinstance(error, ChatFormRefusedError):
        return in_next_form(part, desk.clock.now())
    if isinstance(error, ChatTargetGoneError) and await _may_stand_alone(desk, part):
        return without_target(part, desk.clock.now())
    return None


async def _may_stand_alone(desk: Desk, part: Part) -> bool:
    """Only in a private chat, and only when its message is seen to be gone; a topic's answer stays in its topic."""
    delivery = await desk.store.one(queries.DELIVERY, id=part.delivery_id)
    if delivery is None or delivery.request_id is None or part.in_thread:
        return False
    request = await desk.store.one(queries.REQUEST, id=delivery.request_id)
    if request is None or request.chat_kind is not ChatKind.PRIVATE:
        return False
    try:
        return (await desk.chat(part.app).history.message(MessageId(part.target))).recalled
    except ChatNotFoundError:
        return True
