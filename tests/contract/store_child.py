"""A process that commits and says so, for tests that kill it or take its disk away.

`python -m tests.contract.store_child ROLE DATABASE`: each answered commit is a line with its number.
"""

import asyncio
import resource
import sys
from pathlib import Path

from tests.contract.store_engines import QUERIES, Job, JobState, Lane, LaneKey

from hongyan.adapters.store import SqliteOptions, SqliteStore
from hongyan.domain.changes import Changes, Insert, insert
from hongyan.domain.errors import StoreError

LIMIT_BYTES = 400_000


def pair(number: int, body: bytes | None = None) -> tuple[Insert, ...]:
    """Give two rows that are only ever seen together."""
    key = LaneKey(f"{number}")
    job = Job(f"{number}", key, number, JobState.QUEUED, False, body)
    return insert("lane", Lane(key, 0, None, None)), insert("job", job)


async def commit_until_killed(store: SqliteStore) -> None:
    """Commit from eight producers without end; a line follows only an answered commit."""
    numbers = iter(range(10_000_000))

    async def produce() -> None:
        for number in numbers:
            await store.commit(Changes("pair", pair(number)))
            print(number, flush=True)

    async with asyncio.TaskGroup() as group:
        for _ in range(8):
            group.create_task(produce())


async def fill_and_go_on(store: SqliteStore) -> None:
    """Commit until no file may grow any more, say `refused`, then get room again and commit once more."""
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT_BYTES, most))
    number = 0
    try:
        while True:
            await store.commit(Changes("pair", pair(number, b"x" * 4096)))
            print(number, flush=True)
            number += 1
    except StoreError as error:
        print(f"refused {error.code} {number}", flush=True)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    await store.commit(Changes("pair", pair(number, b"x" * 4096)))
    print(number, flush=True)
    await store.close()


async def main(role: str, database: str) -> None:
    """Open the database and play the role."""
    store = SqliteStore(Path(database), SqliteOptions(queries=QUERIES))
    await store.open()
    await {"endless": commit_until_killed, "no-room": fill_and_go_on}[role](store)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
