"""Keeps the gateway's log out of a benchmark's output, which is JSON on stdout."""

import logging
import sys

import structlog

__all__ = ["hush"]


def hush() -> None:
    """Let only errors of this process through."""
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
