"""Exit codes: which error ends a start in which way."""

from errno import EACCES, ENOSPC
from pathlib import Path

import pytest

from hongyan.domain import errors
from hongyan.entrypoints.daemon import main
from hongyan.entrypoints.daemon.failures import ExitCode, UsageError, exit_code_of, tell


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.ConfigurationError("config.malformed", "x"), ExitCode.USAGE),
        (UsageError("ready_file.exists", "x"), ExitCode.USAGE),
        (errors.BlockedError("config.secret_missing", "x"), ExitCode.BLOCKED),
        (errors.SchemaTooNewError("x"), ExitCode.BLOCKED),
        (errors.StoreDamagedError("x"), ExitCode.BLOCKED),
        (errors.StoreFullError("x"), ExitCode.BLOCKED),
        (errors.BusyError("port.in_use", "x"), ExitCode.BUSY),
        (errors.IllegalMoveError("turn", "1", "queued", "start"), ExitCode.INTERNAL),
    ],
)
def test_an_error_has_its_exit_code(error: errors.HongyanError, code: ExitCode) -> None:
    assert exit_code_of(error) is code


def test_a_failure_is_a_sentence_with_its_code_and_its_mend(capsys: pytest.CaptureFixture[str]) -> None:
    tell(errors.BusyError("port.in_use", "port 1 is in use", hint="Take port 2."))
    assert capsys.readouterr().err == "port 1 is in use (port.in_use)\n  → Take port 2.\n"


@pytest.mark.parametrize(("number", "exit_code", "code"), [(ENOSPC, 5, "store.full"), (EACCES, 5, "home.not_writable")])
def test_what_the_disk_refuses_blocks(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    number: int,
    exit_code: int,
    code: str,
) -> None:
    def refuse(folder: Path) -> None:
        raise OSError(number, "refused", str(folder))

    monkeypatch.setattr(main, "log_to", refuse)
    assert main.run(["--home", str(tmp_path)]) == exit_code
    assert code in capsys.readouterr().err
