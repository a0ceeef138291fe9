"""What works without a gateway, as a program of its own: `python -m hongyan.entrypoints.cli.offline WORD …`.

It loads the wiring, which costs more than a whole command otherwise does; commands become it by `exec`.
"""

import argparse
import asyncio
import dataclasses
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from hongyan import bootstrap
from hongyan.config import Problem, check_settings
from hongyan.domain.home import SETTINGS_FILE
from hongyan.entrypoints.cli.call import Call
from hongyan.entrypoints.cli.checks import show_checks
from hongyan.entrypoints.cli.door import guarded
from hongyan.entrypoints.cli.outcome import ExitCode, Failure, tell
from hongyan.entrypoints.cli.records import Record
from hongyan.entrypoints.cli.screen import line, print_json
from hongyan.entrypoints.cli.words import say

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Do one of the four and give the exit code."""
    options = _parser().parse_args(argv)
    call = Call(Path(options.home), options.as_json)
    return guarded(lambda: _run(options.word, call, options.file), as_json=call.as_json, home=call.home)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="hongyan")
    parser.add_argument("word", choices=("backup", "check", "doctor", "restore"))
    parser.add_argument("file", nargs="?", default="")
    parser.add_argument("--home", required=True)
    parser.add_argument("--json", action="store_true", dest="as_json")
    return parser


def _run(word: str, call: Call, file: str) -> ExitCode:
    if word == "check":
        return _check(call)
    if word == "doctor":
        return asyncio.run(_doctor(call))
    return asyncio.run(_backup(call, Path(file)) if word == "backup" else _restore(call, Path(file)))


def _check(call: Call) -> ExitCode:
    """Tell every mistake; the exit code is that of the first one that keeps the file from being used."""
    problems = check_settings(call.home, os.environ)
    if not problems:
        if not call.answered({"ok": True, "problems": []}):
            file = call.home / SETTINGS_FILE
            line(say("config.ok" if file.exists() else "config.none", path=str(file)))
        return ExitCode.DONE
    first = problems[0]
    failure = Failure(first.code, _sentence(call, first), first.hint)
    if call.as_json:
        return tell(failure, as_json=True, facts={"problems": [dataclasses.asdict(one) for one in problems]})
    for problem in problems:
        tell(Failure(problem.code, _sentence(call, problem), problem.hint), as_json=False)
    return failure.exit_code


def _sentence(call: Call, problem: Problem) -> str:
    place = f"{call.home / SETTINGS_FILE}:{problem.line}: " if problem.line else ""
    return place + (f"{problem.key}: {problem.message}" if problem.key else problem.message)


async def _doctor(call: Call) -> ExitCode:
    checks = [dataclasses.asdict(check) for check in await bootstrap.doctor(call.home, os.environ)]
    if call.as_json:
        print_json({"ok": all(check["ok"] for check in checks), "checks": checks})
    return ExitCode.BLOCKED if show_checks(call, [Record(check) for check in checks]) else ExitCode.DONE


async def _backup(call: Call, target: Path) -> ExitCode:
    await bootstrap.backup_home(call.home, target)
    if not call.answered({"path": str(target)}):
        line(say("backup.done", path=str(target)))
    return ExitCode.DONE


async def _restore(call: Call, source: Path) -> ExitCode:
    restored = await bootstrap.restore_home(call.home, source)
    kept = str(restored.kept_aside) if restored.kept_aside else None
    if not call.answered({"home": str(call.home), "kept_aside": kept}):
        line(say("restore.done", home=str(call.home)))
        if kept:
            line(say("restore.kept", path=kept))
    return ExitCode.DONE


if __name__ == "__main__":
    sys.exit(main())
