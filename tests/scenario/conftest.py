"""Worlds for scenarios."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from tests.harness import World, open_world


@pytest_asyncio.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """Give a world whose gateway runs, with the owner paired and the private chat bound."""
    async with open_world(tmp_path / "home") as opened:
        yield opened


@pytest_asyncio.fixture
async def unbound_world(tmp_path: Path) -> AsyncIterator[World]:
    """Give a world in which no gateway runs yet and nobody is paired."""
    async with open_world(tmp_path / "home", bound=False) as opened:
        yield opened


@pytest_asyncio.fixture
async def plain_world(tmp_path: Path) -> AsyncIterator[World]:
    """Give a world whose agent keeps no history that would prove what became of a prompt."""
    async with open_world(tmp_path / "home", executor="plain") as opened:
        yield opened


@pytest_asyncio.fixture
async def reticent_world(tmp_path: Path) -> AsyncIterator[World]:
    """Give a world whose agent sends its reasoning, not summaries of it."""
    async with open_world(tmp_path / "home", executor="reticent") as opened:
        yield opened
