"""Some of the mutated messages of ``protocol_fuzz`` in every run of the tests, and what they have found."""

import asyncio

import pytest

from kinetune.studio.protocol.messages import TYPES
from kinetune.studio.rooms.room import Room
from tests.studio.protocol_fuzz import SEEDS, read_case, target


def test_every_kind_of_message_is_fuzzed():
    assert {seed["type"] for seed in SEEDS} == set(TYPES)


def test_whatever_comes_is_a_message_or_one_error():
    assert [problem for number in range(1_000) if (problem := read_case(number)) is not None] == []


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # numbers of 1e308 overflow, and the answer says so or is null
def test_a_studio_takes_whatever_comes(tmp_path):
    with target(tmp_path) as studio:
        problems = {number: studio.attempt(number) for number in range(150)}
    assert {number: problem for number, problem in problems.items() if problem is not None} == {}


def test_bands_of_no_joint_are_refused(tab):
    doc = tab.new({"sample": "wave"})
    assert tab.refused("bands", doc=doc, joints=[])["code"] == "bad_field"


def test_work_that_fails_after_its_room_was_closed_is_noticed(tab, serving):
    """A task that nobody waits for any more would be complained of in the terminal."""
    complaints = []

    async def story():
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: complaints.append(context))
        started, ended = asyncio.Event(), asyncio.Event()

        class Closed:
            async def in_thread(self, work):
                started.set()
                await ended.wait()
                work()

        waiting = asyncio.create_task(Room.announced(Closed(), "work", lambda: 1 / 0))
        await started.wait()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        ended.set()
        for _ in range(5):
            await asyncio.sleep(0)

    asyncio.run(story())
    assert complaints == []
