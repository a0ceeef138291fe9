"""Hundreds of random days, each with its seed: `HONGYAN_PROPERTY_EXAMPLES` and `HONGYAN_PROPERTY_SEED` set others."""

import os
from pathlib import Path
from typing import Final

import pytest

from tests.matrix.line import Line
from tests.matrix.stage import open_stage
from tests.property.acts import acts_of
from tests.property.play import Example
from tests.property.promises import broken

EXAMPLES: Final = int(os.environ.get("HONGYAN_PROPERTY_EXAMPLES", "500"))
FIRST: Final = int(os.environ.get("HONGYAN_PROPERTY_SEED", "0"))
A_WORLD: Final = 20  # examples that share one: what one leaves behind is there for the next
WORLDS: Final = range(FIRST, FIRST + EXAMPLES, A_WORLD)


@pytest.mark.parametrize("first", WORLDS)
async def test_whatever_happens_in_whatever_order_the_promises_hold(tmp_path: Path, first: int) -> None:
    async with open_stage(tmp_path / "home", Line()) as stage:
        for seed in range(first, min(first + A_WORLD, FIRST + EXAMPLES)):
            example, acts = Example(stage), acts_of(seed)
            story = f"seed {seed} after {first}: " + "; ".join(map(str, acts))
            try:
                await example.play(acts)
                found = await broken(example)
            except Exception as error:
                raise AssertionError(story) from error
            assert found == {}, story
            await stage.tidy()
