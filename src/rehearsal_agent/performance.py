"""Plays the script of one turn: one method for each word."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from acp import RequestError

from rehearsal_agent import phrases
from rehearsal_agent.journal import Journal, Prompt
from rehearsal_agent.script import ENGLISH, Script, Word, numbers_of
from rehearsal_agent.stage import Stage

ASKED_AT_ONCE: Final = 3
POLL_SECONDS: Final = 0.02
LONGEST_WAIT_SECONDS: Final = 600.0
"""No turn waits longer for a file or for its cancel: a forgotten test must not leave an agent behind."""
CRASH_EXIT_CODE: Final = 70
OVERLOADED_CODE: Final = -32603
LISTED_NAMES: Final = 20


class InterruptedTurnError(Exception):
    """The client cancelled the turn."""


class RefusedTurnError(Exception):
    """The script ends the turn with a refusal."""


@dataclass(frozen=True, slots=True)
class Props:
    """What a performance needs beside its stage."""

    journal: Journal
    prompt: Prompt
    print_raw: Callable[[bytes], Awaitable[None]]


class Performance:
    """One running turn. `cancelled` is set from outside when the client asks to stop."""

    def __init__(self, stage: Stage, props: Props) -> None:
        self._stage = stage
        self._props = props
        self.cancelled = asyncio.Event()
        self._deaf = False
        self._steering = ""
        self._acts: Final[dict[Word, Callable[[str], Awaitable[None]]]] = {
            Word.SAY: stage.say,
            Word.THINK: stage.think,
            Word.PLAN: stage.plan,
            Word.SLOW: self._slow,
            Word.BIG: self._big,
            Word.IMAGE: self._image,
            Word.TOOL: self._tool,
            Word.OPEN_TOOL: self._open_tool,
            Word.CLOSE_TOOL: self._close_tool,
            Word.ASK: self._ask,
            Word.ASK_ALL: self._ask_all,
            Word.WAIT: self._wait,
            Word.TOUCH: self._touch,
            Word.HANG: self._hang,
            Word.IGNORE_CANCEL: self._ignore_cancel,
            Word.STEERING: self._steer_so,
            Word.CRASH: self._crash,
            Word.LOSE_SESSION: self._lose_session,
            Word.GARBAGE: self._garbage,
            Word.REFUSE: self._refuse,
            Word.ERROR: self._error,
            Word.OVERLOADED: self._overloaded,
            Word.QUOTA: self._quota,
            Word.UNREADABLE: self._unreadable,
            Word.ODD: self._odd,
            Word.BACKGROUND: self._background,
            Word.HELP: self._help,
            Word.GREET: self._greet,
        }

    async def steer(self, text: str) -> None:
        """Take more words of the person, or behave as the script says."""
        if self._steering == "refuse":
            raise RequestError.invalid_request({"details": "the script refuses to be steered"})
        if self._steering == "hang":
            await asyncio.sleep(LONGEST_WAIT_SECONDS)
        await self._stage.say(f"steered: {text} ")

    async def play(self, script: Script) -> None:
        """Do everything in order.

        Raise InterruptedTurnError, RefusedTurnError or RequestError when it does not end with its answer.
        """
        for step in script.steps:
            act = self._acts.get(step.word)
            if act is not None:
                await act(step.argument)
            self._stop_when_cancelled()
        if script.echo is not None:
            suffix = f" (turn {self._stage.turn_number})" if script.has(Word.COUNT) else ""
            await self._stage.say(f"echo: {script.echo or phrases.EMPTY_ECHO}{suffix}")

    def _stop_when_cancelled(self) -> None:
        if self.cancelled.is_set() and not self._deaf:
            raise InterruptedTurnError

    async def _pause(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):  # `wait_for` may swallow a cancellation
                await self.cancelled.wait()
        except TimeoutError:
            return
        self._stop_when_cancelled()

    async def _slow(self, argument: str) -> None:
        if argument and argument[0].isdigit():
            count, milliseconds = numbers_of(argument, 20, 250)
            pieces = [f"piece {number}/{count} " for number in range(1, count + 1)]
        else:
            pieces, milliseconds = phrases.slow_pieces(argument or ENGLISH, 20), 250
        for piece in pieces:
            await self._stage.say(piece)
            await self._pause(milliseconds / 1000)

    async def _big(self, argument: str) -> None:
        (kibibytes,) = numbers_of(argument, 100)
        for section in phrases.big_document(kibibytes):
            self._stop_when_cancelled()
            await self._stage.say(section)

    async def _image(self, _: str) -> None:
        count = self._props.prompt.images
        await self._stage.say(f"I got {count} image{'' if count == 1 else 's'}.")

    async def _tool(self, argument: str) -> None:
        await self._stage.open_tool(argument or "list the workspace")
        if argument == "fail":
            await self._stage.close_tool("it failed, as the script says", failed=True)
            return
        if argument == "note":
            (self._stage.workspace / "rehearsal-note.txt").write_text(
                "a note of the rehearsal agent\n", encoding="utf-8"
            )
        output = _list_workspace(self._stage.workspace)
        await self._stage.close_tool(output)
        await self._stage.say(f"The tool said:\n{output}")

    async def _open_tool(self, argument: str) -> None:
        await self._stage.open_tool(argument or "a long command")

    async def _close_tool(self, argument: str) -> None:
        await self._stage.close_tool(argument or "done")

    async def _ask(self, argument: str) -> None:
        kind = await self._stage.ask(argument or "do something")
        if kind == "cancelled":
            self._stop_when_cancelled()
        await self._stage.say(f"The answer was: {kind}.")

    async def _ask_all(self, argument: str) -> None:
        (count,), (_, _, what) = numbers_of(argument, ASKED_AT_ONCE), argument.partition(":")
        asked = (self._stage.ask(f"{what or 'step'} {n}") for n in range(1, count + 1))
        kinds = await asyncio.gather(*asked)
        if "cancelled" in kinds:
            self._stop_when_cancelled()
        await self._stage.say(f"The answers were: {', '.join(kinds)}.")

    async def _wait(self, name: str) -> None:
        file = self._signal(name)
        for _ in range(int(LONGEST_WAIT_SECONDS / POLL_SECONDS)):
            if file.exists():
                return
            await self._pause(POLL_SECONDS)
        raise RequestError(OVERLOADED_CODE, f"Nobody wrote the file {name}")

    async def _touch(self, name: str) -> None:
        self._signal(name).write_bytes(b"")

    def _signal(self, name: str) -> Path:
        file = self._props.journal.signal_file(name)
        if file is None:
            raise RequestError.invalid_params({"details": "a file name is made of letters, digits, - and _"})
        return file

    async def _hang(self, _: str) -> None:
        await self._pause(LONGEST_WAIT_SECONDS)

    async def _ignore_cancel(self, argument: str) -> None:
        self._deaf = True
        file = self._props.journal.signal_file(argument) if argument and not argument.isdigit() else None
        (milliseconds,) = numbers_of(argument, 7000)
        after_cancel, number = 0.0, 0
        step = 0.1
        while number < LONGEST_WAIT_SECONDS / step:
            if (file is not None and file.exists()) or (file is None and after_cancel * 1000 >= milliseconds):
                break
            number += 1
            await self._stage.say(f"still talking {number} ")
            await asyncio.sleep(step)
            after_cancel += step if self.cancelled.is_set() else 0
        await self._stage.say("now I am done.")

    async def _steer_so(self, argument: str) -> None:
        self._steering = argument

    async def _crash(self, argument: str) -> None:
        if argument == "answered":
            return  # the agent ends the process itself, once the end is in the history
        if argument == "after":
            await self._stage.say("This sentence will never be")
        os._exit(CRASH_EXIT_CODE)

    async def _lose_session(self, _: str) -> None:
        self._props.journal.lose(self._stage.session_id)

    async def _garbage(self, argument: str) -> None:
        line = argument or "Traceback: this line is not JSON"
        await self._props.print_raw(line.encode() + b"\n")

    async def _refuse(self, _: str) -> None:
        await self._stage.say("I would rather not do that.")
        raise RefusedTurnError

    async def _error(self, argument: str) -> None:
        code, _, text = argument.partition(":")
        number = int(code) if code.strip().lstrip("-").isdigit() else OVERLOADED_CODE
        raise RequestError(number, text or f"a rehearsed error {number}")

    async def _overloaded(self, argument: str) -> None:
        if self._is_mended(argument):
            return
        details = {"status": 529, "retryable": True}
        raise RequestError(OVERLOADED_CODE, "The model is overloaded (529), try again later", details)

    async def _quota(self, argument: str) -> None:
        resets_at, _, name = argument.partition(":")
        if self._is_mended(name):
            return
        quota = {"resetsAt": int(resets_at)} if resets_at.isdigit() else {}
        raise RequestError(OVERLOADED_CODE, "The quota is spent", {"status": 429, "quota": quota})

    async def _unreadable(self, _: str) -> None:
        self._props.journal.record_unreadable(self._stage.session_id)

    async def _odd(self, _: str) -> None:
        await self._stage.show_link("rehearsal://odd")

    async def _background(self, name: str) -> None:
        self._signal(name)
        self._props.journal.record_background(self._stage.session_id, name)

    def _is_mended(self, name: str) -> bool:
        return bool(name) and self._signal(name).exists()

    async def _help(self, argument: str) -> None:
        await self._stage.say(phrases.HELP.get(argument, phrases.HELP[ENGLISH]))

    async def _greet(self, argument: str) -> None:
        await self._stage.say(phrases.GREETING.get(argument, phrases.GREETING[ENGLISH]))


def _list_workspace(workspace: Path) -> str:
    names = sorted(f"{entry.name}/" if entry.is_dir() else entry.name for entry in workspace.iterdir())
    shown = names[:LISTED_NAMES]
    if len(names) > len(shown):
        shown.append(f"… and {len(names) - len(shown)} more")
    return "\n".join(shown) or "(the workspace is empty)"
