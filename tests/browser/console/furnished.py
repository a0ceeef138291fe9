"""Homes in three states to look at: with much going on, with nothing that waits, and with what cannot go on."""

import re
from typing import Final

from tests.browser.console.scene import Console, an_edit_is_asked

from hongyan.application.send_text import send_text
from hongyan.domain.changes import Change, Changes, Update

__all__ = ["blocked", "full", "quiet"]

ANSWER: Final = """Yes, and that is the fault. `retry_part` asks for a fresh key on each attempt.

| window | outcome |
|---|---|
| 50 minutes | verified |
| later | unknown |

```python
async def retry_part(part: Part) -> Outcome:
    return await writer.send(part, part.uuid)
```

See [the platform's page](https://open.feishu.cn/document) and <b>not bold</b>."""


WORDS_OF_THE_SCRIPT: Final = re.compile(r"\[\[.*?\]\]", re.DOTALL)


async def _as_people_write(house: Console) -> None:
    """Leave out of every text what only the rehearsal agent needs."""
    turns = await house.world.rows("SELECT id, text, request_id FROM turns")
    steps: list[Change] = []
    for turn, text, request in turns:
        words = {"text": WORDS_OF_THE_SCRIPT.sub("", text)}
        steps += [Update("turns", {"id": turn}, dict(words)), Update("requests", {"id": request}, dict(words))]
    await house.world.gateway.desk.store.commit(Changes("tidy", tuple(steps)))


async def full(house: Console) -> str:
    """Let one Turn be answered, one fail, one ask twice, one wait behind it; and a private chat be answered."""
    world = house.world
    world.say("How is the glossary?")
    await world.until_rows("SELECT 1 FROM turns WHERE state = 'completed'")
    session, desk = await house.local(), world.gateway.desk
    question = "When the platform answers 5xx to part two, do we send it again?"
    answered = f"{question}[[think:the key must outlive a restart]][[tool:list]][[say:{ANSWER}]]"
    await send_text(desk, session, answered, "one")
    await world.until_rows("SELECT 1 FROM turns WHERE client_turn_id = 'one' AND state = 'completed'")
    await send_text(
        desk, session, "Compare the two storage engines.[[say:The first one]][[error:-32603:no capacity]]", "two"
    )
    await world.until_rows("SELECT 1 FROM turns WHERE client_turn_id = 'two' AND state = 'failed'")
    thought = "[[think:keep the part's own key for every attempt]]"
    asking = f"Apply it, then run the tests.{thought}[[tool:list]][[ask:pytest tests/outbox -q]]"
    await send_text(desk, session, asking, "three")
    await world.until_rows("SELECT 1 FROM decisions WHERE state = 'asked'")
    await an_edit_is_asked(house, session, "three")
    await send_text(desk, session, "Then add a changelog line.", "four")
    await send_text(desk, session, "And translate it into Chinese.", "five")
    await _as_people_write(house)
    return session


async def quiet(house: Console) -> str:
    """Let one message from Feishu be answered, written and verified; nothing waits."""
    house.world.say("How is the glossary?[[tool:list]][[say:It has 42 words, and every one stands in both languages.]]")
    await house.world.until_settled(flowing=True)
    await _as_people_write(house)
    return str((await house.world.rows("SELECT session_id FROM turns"))[0][0])


async def blocked(house: Console) -> str:
    """Let it be unknown what the agent did, with a message behind it, while nobody listens for the App."""
    session, desk = await house.local(), house.world.gateway.desk
    await send_text(desk, session, "Deploy it.[[tool:build]][[say:The image is built, next the]]", "one")
    await house.world.until_rows("SELECT 1 FROM turns WHERE state = 'completed'")
    await send_text(
        desk,
        session,
        "Deploy it to the second machine as well.[[say:The second machine is reached]][[wait:never]]",
        "two",
    )
    await house.world.until_rows("SELECT 1 FROM turns WHERE state = 'running'")
    await house.outcome_becomes_unknown()
    await send_text(desk, session, "Then tell Chen Yu.", "three")
    await _as_people_write(house)
    await house.platform_goes_away()
    return session
