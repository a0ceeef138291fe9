"""Tell somebody who edited a message after the agent had it which of the two texts ran."""

from hongyan.application.desk import Desk
from hongyan.application.routes import route_of
from hongyan.domain.changes import Change
from hongyan.domain.deliveries import Part, Phase, Words, say
from hongyan.domain.errors import ChatError
from hongyan.domain.messages import content_hash
from hongyan.domain.notices import Notice, language_of, sentence
from hongyan.domain.requests import ClosedAs, Origin
from hongyan.ports import queries

__all__ = ["edit_note"]


async def edit_note(desk: Desk, part: Part) -> tuple[Change, ...]:
    """Plan the word about an edit beside the read-back of an answer's first part; nothing when there was none.

    The platform announces no edit: the message is read again here, away from everything that somebody waits for. What
    ran is not repeated. A message that cannot be read now is taken as it was.
    """
    delivery = await desk.store.one(queries.DELIVERY, id=part.delivery_id)
    if delivery is None or delivery.phase is not Phase.FINAL or part.ordinal or not delivery.request_id:
        return ()
    request = await desk.store.one(queries.REQUEST, id=delivery.request_id)
    turn = await desk.store.one(queries.TURN, id=delivery.turn_id) if delivery.turn_id else None
    if request is None or turn is None or request.origin is not Origin.LARK or part.replaces:
        return ()
    try:
        posted = await desk.chat(part.app).history.message(request.message_id)
    except ChatError:
        return ()
    edited = posted.updated and not posted.recalled and posted.text is not None
    if not edited or content_hash(posted.kind, posted.text) == request.text_hash:
        return ()
    binding = await desk.store.one(queries.BINDING, id=turn.binding_id)
    words = sentence(Notice.RAN_BEFORE_EDIT, language_of(turn.text), _quoted(turn.text))
    return say(route_of(request, binding, turn), Words(Phase.NOTICE, words, ClosedAs.OPEN, "edited"), desk.stamp())


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= QUOTED_LETTERS else f"{line[:QUOTED_LETTERS]}…"


QUOTED_LETTERS = 120
