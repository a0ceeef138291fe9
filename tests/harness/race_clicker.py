"""One side of a race for approvals, as a process of its own: it presses buttons of cards, or decides in the console.

    python -m tests.harness.race_clicker card|console URL KEY

KEY is the token of the simulated platform, or a one-time link of the console. Each line on stdin is a batch, a list of
`[wait_ms, target]`; it is told back as `ready`, begins with the next line, and ends with one line of results, a list of
`[word, milliseconds]` in the order of the batch.
"""

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final

import httpx

__all__ = ["main"]

SECONDS: Final = 30.0
SHAPE: Final = "an answer of another shape"

Act = Callable[[Any], Awaitable[str]]


async def card_side(url: str, token: str) -> Act:
    """Give the act of a person who presses buttons in the chat; a target is the body of the press."""
    client = httpx.AsyncClient(
        base_url=f"{url}/_sim", headers={"authorization": f"Bearer {token}"}, timeout=SECONDS, trust_env=False
    )
    (await client.get("/clicks")).raise_for_status()  # the first call of a process costs more than all others

    async def press(target: Any) -> str:
        answer = await client.post("/clicks", json=target)
        if answer.is_client_error:
            return "gone"  # the card shows the button no more
        click = answer.json()
        if click["state"] != "answered":
            return f"unanswered {click['code']}"
        return {"success": "won", "info": "late"}.get(click["toast"]["type"], f"toast {click['toast']['type']}")

    return press


async def console_side(url: str, link: str) -> Act:
    """Give the act of a person in the console; a target is the id of an approval."""
    origin = {"origin": url, "sec-fetch-site": "same-origin"}
    client = httpx.AsyncClient(base_url=url, headers=origin, timeout=SECONDS, trust_env=False)
    (await client.get(link.removeprefix(url), follow_redirects=True)).raise_for_status()

    async def decide(target: Any) -> str:
        answer = await client.post(f"/api/v1/approvals/{target}/decide", json={"outcome": "rejected"})
        if answer.status_code == httpx.codes.OK:
            return "won"
        code = str(answer.json().get("code", SHAPE))
        return "late" if code == "decision.settled" else code

    return decide


async def run_batch(act: Act, batch: list[tuple[float, Any]]) -> list[tuple[str, float]]:
    """Act on every target, each in its own moment after the start."""

    async def one(wait_ms: float, target: Any) -> tuple[str, float]:
        await asyncio.sleep(wait_ms / 1_000)
        begun = time.perf_counter()
        word = await act(target)
        return word, (time.perf_counter() - begun) * 1_000

    return list(await asyncio.gather(*(one(*item) for item in batch)))


async def main(side: str, url: str, key: str) -> None:
    """Take batches from stdin until it ends."""
    act = await (card_side if side == "card" else console_side)(url, key)
    while line := await asyncio.to_thread(sys.stdin.readline):
        batch = json.loads(line)
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        print(json.dumps(await run_batch(act, batch)), flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
