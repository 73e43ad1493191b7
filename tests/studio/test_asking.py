"""Questions about a document: each one is answered, also one that comes while the task before it ends."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

from kinetune.studio.rooms.room import Room


class Quiet(Room):
    """A room in which nothing else goes on."""

    async def answer(self):
        raise AssertionError("nobody changes the document")

    def describe(self):
        raise AssertionError("nobody wants to know")


class Asker:
    """A tab that asks again as soon as it has heard the first answer."""

    def __init__(self):
        self.heard = []
        self.room = None

    def send_json(self, answer):
        self.heard.append(answer["number"])
        if len(self.heard) == 1:
            asyncio.get_running_loop().call_soon(self.ask, 2)

    def ask(self, number):
        message = SimpleNamespace(type="bands", id=number)
        self.room.ask(self, message, lambda: {"number": number})


async def story():
    with ThreadPoolExecutor(1) as pool:
        asker = Asker()
        asker.room = Quiet(SimpleNamespace(id="d"), None, pool)
        asker.ask(1)
        for _ in range(200):
            await asyncio.sleep(0.005)
            if len(asker.heard) == 2:
                break
    return asker.heard


def test_a_question_that_comes_while_the_task_before_it_ends_is_answered():
    with ThreadPoolExecutor(1) as elsewhere:  # the browser of the stories keeps a loop running in this thread
        assert elsewhere.submit(asyncio.run, story()).result() == [1, 2]
