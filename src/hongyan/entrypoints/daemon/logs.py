"""The log: one JSON line an event, in `logs/gateway.log` of the home, kept small by rotation."""

import logging
import os
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Final

import structlog
from structlog.tracebacks import ExceptionDictTransformer

__all__ = ["log_to"]

FILE_BYTES: Final = 10 * 1024 * 1024
OLDER_FILES: Final = 3
TOO_CHATTY: Final = ("httpx", "httpcore", "websockets", "uvicorn.error", "asyncio", "acp")


def log_to(folder: Path) -> None:
    """Send every event of ours and every warning of a library to the file in `folder`, readable by its owner alone."""
    handler = _PrivateFile(folder / "gateway.log", maxBytes=FILE_BYTES, backupCount=OLDER_FILES, encoding="utf-8")
    shared: list[structlog.typing.Processor] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.ExceptionRenderer(ExceptionDictTransformer(show_locals=False)),  # locals hold secrets
    ]
    render: list[structlog.typing.Processor] = [
        structlog.stdlib.ProcessorFormatter.remove_processors_meta,
        structlog.processors.JSONRenderer(ensure_ascii=False),
    ]
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=render))
    logging.basicConfig(handlers=[handler], level=logging.INFO, force=True)
    for name in TOO_CHATTY:  # they log addresses and bodies below a warning
        logging.getLogger(name).setLevel(logging.WARNING)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )


class _PrivateFile(RotatingFileHandler):
    """Opens each file for its owner alone; the process's umask is left as it is, for agents inherit it."""

    def _open(self) -> TextIOWrapper:
        stream = super()._open()
        os.fchmod(stream.fileno(), 0o600)
        return stream
