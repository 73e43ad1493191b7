"""A room ends when its last tab leaves, and when the studio stops."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from kinetune.studio.documents.autosave import DataFolder
from kinetune.studio.documents.open_documents import Library
from kinetune.studio.documents.origins import Origin
from kinetune.studio.documents.stack import Stack
from kinetune.studio.rooms.room import Room


class Resting(Room):
    """A room that only waits until nothing changes."""

    async def answer(self) -> None:
        await self.rested()


@pytest.fixture
def room(tmp_path: Path) -> Resting:
    library = Library(DataFolder(tmp_path))
    return Resting(library.add("motion", "a", Stack(Origin("sample:wave"))), library, ThreadPoolExecutor(1))


@pytest.mark.parametrize("ticks", range(5))
def test_a_room_that_is_left_while_it_wakes_ends(room: Resting, ticks: int) -> None:
    """Or it would go on beside the next one, with nothing left of what it works on."""

    async def left() -> None:
        resting = asyncio.create_task(room.rested())
        await asyncio.sleep(0)
        room.wake()
        for _ in range(ticks):
            await asyncio.sleep(0)
        if resting.cancel():  # otherwise it had its answer
            with pytest.raises(asyncio.CancelledError):
                await resting

    asyncio.run(left())


def test_work_in_a_studio_that_stops_is_given_up(room: Resting) -> None:
    begun, stopped = Event(), Event()

    async def stop() -> None:
        working = asyncio.create_task(room.in_thread(lambda: (begun.set(), stopped.wait())))
        room._answering.add(working)
        await asyncio.get_running_loop().run_in_executor(None, begun.wait)
        try:
            room.close()
            with pytest.raises(asyncio.CancelledError):
                await working
        finally:
            stopped.set()

    asyncio.run(stop())
