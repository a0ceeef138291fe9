"""Exit codes: which error ends a start in which way."""

import pytest

from hongyan.domain import errors
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
