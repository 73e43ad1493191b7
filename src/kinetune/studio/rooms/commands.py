"""What each message does. ``MessageHandlers.handle`` finds the method for a message by its type."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from kinetune.body.clip import Marker
from kinetune.body.skeleton import Skeleton
from kinetune.progress import Cancelled
from kinetune.recipes import Recipe
from kinetune.studio.documents.open_documents import AnyDocument
from kinetune.studio.documents.origins import Origin, kind_of
from kinetune.studio.documents.stack import Stack, edit_label, title
from kinetune.studio.evaluate.gizmo_keys import pose_key
from kinetune.studio.export import exports
from kinetune.studio.protocol import messages
from kinetune.studio.protocol.catalogue import sample_sets
from kinetune.studio.protocol.message_parts import Message, MessageError
from kinetune.studio.rooms import _questions, drawing_messages
from kinetune.studio.rooms.background_jobs import Job
from kinetune.studio.rooms.motion_room import MotionRoom
from kinetune.studio.rooms.room import Seat
from kinetune.studio.server.session import Session
from kinetune.studio.studio import Studio

_MOST_VERSIONS = 100
Handler = Callable[[Session, Any], Awaitable[None]]


class MessageHandlers:
    """What each message about documents and stacks does."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self._drawing_thumbnails = asyncio.Semaphore(2)  # reading clips leaves room for edits
        self._handlers: dict[str, Handler] = {
            "new": self.new,
            "open": self.open,
            "close": self.close,
            "forget": self.forget,
            "rename": self.rename,
            "documents": self.documents,
            "folder": self.folder,
            "favourites": self.favourites,
            "favourite": self.favourite,
            "similar": self.similar,
            "thumbnail": self.thumbnail,
            "look": self.look,
            "view": self.view,
            "markers": self.markers,
            "undo": self.undo,
            "redo": self.undo,
            "version.save": self.version_save,
            "version.open": self.version_open,
            "version.remove": self.version_remove,
            "commit": self.commit,
            "cancel": self.cancel,
            "step.add": self.step_add,
            "step.set": self.step_set,
            "step.patch": self.step_patch,
            "step.move": self.step_move,
            "step.toggle": self.step_toggle,
            "step.duplicate": self.step_duplicate,
            "step.remove": self.step_remove,
            "run": self.run,
            "job.cancel": self.job_cancel,
            "input.add": self.input_add,
            "input.add_set": self.input_add_set,
            "input.remove": self.input_remove,
            "source.set": self.source_set,
            "recipe.set": self.recipe_set,
            "tracks.set": self.tracks_set,
            "pose": self.pose,
            **exports.handlers(studio),
            **_questions.handlers(studio),
            **drawing_messages.handlers(studio),
        }

    async def handle(self, session: Session, message: Message) -> None:
        await self._handlers[message.type](session, message)

    # --- documents

    async def new(self, session: Session, message: messages.NewDocument) -> None:
        origin = self.studio.origins.find(message.source)
        document = await asyncio.to_thread(self._new_from, origin, message)
        session.done(message, doc=document.id)

    def _new_from(self, origin: Origin, message: messages.NewDocument) -> AnyDocument:
        kind = kind_of(origin.place) if origin.is_file else "clip"
        if kind == "drawing":
            return drawing_messages.new_drawing(self.studio, [origin], message.name)
        if kind != "recipe":
            return self.studio.new_motion(origin, message.name)
        on = Origin("sample:walk") if message.on is None else self.studio.origins.find(message.on)
        self.studio.origins.clip(on)
        recipe = self._read_recipe(origin)
        stack = Stack(on).with_recipe(recipe, self.studio.origins.named)
        return self.studio.library.add("motion", message.name or recipe.name or origin.stem, stack)

    async def open(self, session: Session, message: messages.OpenDocument) -> None:
        room = self.studio.room(message.doc)
        if isinstance(room, MotionRoom):
            stack = room.document.state
            await asyncio.to_thread(room.evaluator.clips, stack)
        room.enter(session, Seat(message.frame, message.rotations))
        self.studio.first = message.doc
        session.done(message, edit=room.document.edit)

    async def close(self, session: Session, message: messages.CloseDocument) -> None:
        room = session.rooms.get(message.doc)
        if room is not None:
            room.leave(session)
        session.done(message)

    async def forget(self, session: Session, message: messages.DeleteDocument) -> None:
        room = self.studio.rooms.pop(message.doc, None)
        for other in [] if room is None else list(room.seats):
            room.leave(other)  # type: ignore[union-attr]
        self.studio.library.forget(message.doc)
        session.done(message)

    async def rename(self, session: Session, message: messages.RenameDocument) -> None:
        room = self.studio.room(message.doc)
        room.document.name = message.name
        self.studio.library.touched(room.document)
        room.send_document()
        session.done(message, edit=room.document.edit)

    async def documents(self, session: Session, message: messages.ListDocuments) -> None:
        session.done(message, documents=[document.line() for document in self.studio.library])

    async def folder(self, session: Session, message: messages.ListFolder) -> None:
        session.done(message, **await asyncio.to_thread(self.studio.origins.listing, message.path, message.search))

    async def favourites(self, session: Session, message: messages.ListFavourites) -> None:
        def listed() -> list[dict[str, Any]]:
            lines: list[dict[str, Any]] = []
            for line in self.studio.favourites.lines:
                if "sample" in line:
                    lines.append(dict(line))
                elif (entry := self.studio.origins.described(line["path"])) is not None:
                    lines.append({"entry": entry})
            return lines

        session.done(message, favourites=await asyncio.to_thread(listed))

    async def favourite(self, session: Session, message: messages.MarkFavourite) -> None:
        origin, source = self.studio.origins.find(message.source), message.source
        if source.upload is not None or source.drawing is not None:
            raise MessageError("refused", "Samples and files of the folder can have a star.", where="source")
        kind, name = ("sample", str(source.sample)) if source.sample is not None else ("path", origin.place)
        await asyncio.to_thread(self.studio.favourites.mark, kind, name, message.on)
        session.done(message)

    async def similar(self, session: Session, message: messages.FindSimilar) -> None:
        if (message.source is None) == (message.of is None):
            raise MessageError("bad_field", "Name a source, or a document.", where="source")
        start, stop = message.region or (None, None)
        origin = None if message.source is None else self.studio.origins.find(message.source)
        room = None if message.of is None else self.studio.motion_room(message.of)

        def entries() -> list[dict[str, Any]]:
            if origin is not None:
                clip = self.studio.origins.clip(origin)
            else:
                assert room is not None
                clip = room.evaluator.whole(room.document.state).clip
            return self.studio.origins.similar(clip, start, stop)

        session.done(message, entries=await asyncio.to_thread(entries))

    async def thumbnail(self, session: Session, message: messages.AskThumbnail) -> None:
        if (message.source is None) == (message.of is None):
            raise MessageError("bad_field", "Name a source, or a document.", where="source")
        if message.of is not None:
            origin = self.studio.library.motion(message.of).state.source
        else:
            assert message.source is not None
            origin = self.studio.origins.find(message.source)
        async with self._drawing_thumbnails:
            session.send_frame(await asyncio.to_thread(self.studio.thumbnails.packed, origin, message.id))

    async def look(self, session: Session, message: messages.MovePlayhead) -> None:
        room = session.rooms.get(message.doc)
        if room is None:
            raise MessageError("unknown_document", "Open the document before looking at it.")
        seat = room.seats[session]
        seat.frame = message.frame
        if message.rotations is not None and message.rotations != seat.rotations:
            seat.rotations = message.rotations
            room.wake()

    async def view(self, session: Session, message: messages.SetView) -> None:
        document = self.studio.library.find(message.doc)
        document.save_view(message.set)
        self.studio.library.touched(document)
        session.done(message, edit=document.edit)

    async def markers(self, session: Session, message: messages.SetMarkers) -> None:
        room = self.studio.motion_room(message.doc)
        markers = tuple(Marker(each.frame, each.name) for each in message.markers)
        room.edit(session, message, replace(room.document.state, markers=markers), "Markers")

    async def undo(self, session: Session, message: messages.UndoOrRedo) -> None:
        room = self.studio.room(message.doc)
        move = room.document.history.undo if message.type == "undo" else room.document.history.redo
        if move(message.count):
            room.changed(message)
        session.done(message, edit=room.document.edit)

    async def version_save(self, session: Session, message: messages.NameVersion) -> None:
        room = self.studio.room(message.doc)
        history = room.document.history
        if message.entry is not None and message.entry >= len(history.entries):
            raise MessageError("bad_field", f"The history has no entry {message.entry}.", where="entry")
        if len(history.versions) >= _MOST_VERSIONS and message.name not in history.versions:
            raise MessageError("refused", f"A document has at most {_MOST_VERSIONS} versions. Remove one first.")
        history.name_version(message.name, message.entry)
        room.changed(message)
        session.done(message, edit=room.document.edit)

    async def version_open(self, session: Session, message: messages.OpenOrRemoveVersion) -> None:
        room = self.studio.room(message.doc)
        version = room.document.history.version(message.name)
        room.edit(session, message, version.state, f"Version {message.name}")

    async def version_remove(self, session: Session, message: messages.OpenOrRemoveVersion) -> None:
        room = self.studio.room(message.doc)
        room.document.history.remove_version(message.name)
        room.changed(message)
        session.done(message, edit=room.document.edit)

    async def commit(self, session: Session, message: messages.CommitDrag) -> None:
        room = self.studio.room(message.doc)
        room.commit(message.label, message)
        session.done(message, edit=room.document.edit)

    async def cancel(self, session: Session, message: messages.CancelDrag) -> None:
        room = self.studio.room(message.doc)
        if room.document.history.cancel():
            room.changed(message)
        session.done(message, edit=room.document.edit)

    # --- the stack

    async def step_add(self, session: Session, message: messages.AddStep) -> None:
        room = self.studio.motion_room(message.doc)
        stack = room.document.state
        with self.studio.origins.confined():
            operation = stack.make(message.op, message.knobs)
        added, id = stack.add(operation, message.at, message.on)
        room.edit(session, message, added, f"Add {title(message.op).lower()}", step=id)

    async def step_set(self, session: Session, message: messages.SetStep) -> None:
        room = self.studio.motion_room(message.doc)
        stack = room.document.state
        step = stack.step(message.step)
        with self.studio.origins.confined():
            changed = step.with_knobs(message.knobs)
        room.edit(session, message, stack.with_step(changed), edit_label(changed.operation, message.knobs))

    async def step_patch(self, session: Session, message: messages.PatchStep) -> None:
        room = self.studio.motion_room(message.doc)
        stack = room.document.state
        step = stack.step(message.step)
        with self.studio.origins.confined():
            patched = step.with_patch(message.path, message.value, message.remove)
        room.edit(session, message, stack.with_step(patched), edit_label(patched.operation, [str(message.path[0])]))

    async def step_move(self, session: Session, message: messages.MoveStep) -> None:
        room = self.studio.motion_room(message.doc)
        stack = room.document.state
        name = title(stack.step(message.step).operation.tag())
        room.edit(session, message, stack.move(message.step, message.to), f"Move {name.lower()}")

    async def step_toggle(self, session: Session, message: messages.ToggleStep) -> None:
        room = self.studio.motion_room(message.doc)
        stack = room.document.state
        step = stack.step(message.step)
        label = f"{title(step.operation.tag())} {'on' if message.on else 'off'}"
        room.edit(session, message, stack.with_step(replace(step, on=message.on)), label)

    async def step_duplicate(self, session: Session, message: messages.CopyOrRemoveStep) -> None:
        room = self.studio.motion_room(message.doc)
        stack = room.document.state
        step = stack.step(message.step)
        added, id = stack.add(step.operation, stack.position(step.id) + 1, step.on)
        room.edit(session, message, added, f"Duplicate {title(step.operation.tag()).lower()}", step=id)

    async def step_remove(self, session: Session, message: messages.CopyOrRemoveStep) -> None:
        room = self.studio.motion_room(message.doc)
        stack = room.document.state
        name = title(stack.step(message.step).operation.tag())
        room.edit(session, message, stack.remove(message.step), f"Remove {name.lower()}")

    # --- slow steps

    async def run(self, session: Session, message: messages.RunStep) -> None:
        room = self.studio.motion_room(message.doc)
        stack = room.document.state
        step = stack.step(message.step)
        if step.id in room.evaluator.running:
            raise MessageError("busy", f"{title(step.operation.tag())} is running already.")
        room.evaluator.running.add(step.id)

        def work(job: Job) -> None:
            try:
                number = stack.position(step.id)
                upto = replace(stack, steps=stack.steps[: number + 1])
                room.evaluator.whole(upto, lambda: job.cancelled, slow=True, sink=job.progress)
            except Cancelled:
                job.progress(1.0)
            finally:
                room.evaluator.running.discard(step.id)

        def send(answer: dict[str, Any]) -> None:
            room.broadcast(answer)
            if answer["state"] != "running":
                room.renew()

        job = self.studio.jobs.start(
            title(step.operation.tag()), work, send, doc=message.doc, step=step.id, id=message.id
        )
        session.done(message, job=job.id)

    async def job_cancel(self, session: Session, message: messages.CancelJob) -> None:
        room = next((room for room in self.studio.rooms.values() if room.announces(message.job)), None)
        if room is None:
            self.studio.jobs.cancel(message.job)
        elif room.notice == message.job:  # work for an older edit is given up anyway
            room.halt()
        session.done(message)

    # --- other clips

    async def input_add(self, session: Session, message: messages.AddInput) -> None:
        room = self.studio.motion_room(message.doc)
        origin = self.studio.origins.find(message.source)
        await asyncio.to_thread(self.studio.origins.clip, origin)
        stack = room.document.state
        name = stack.free_name(message.name or origin.stem)
        room.edit(session, message, stack.add_input(name, origin), f"Add clip {name}", name=name)

    async def input_add_set(self, session: Session, message: messages.AddInputSet) -> None:
        room = self.studio.motion_room(message.doc)
        known = sample_sets()
        if message.set is not None and message.set not in known:
            raise MessageError("unknown_name", f'There is no set "{message.set}"; there are {", ".join(known)}.')
        names = [*(known[message.set] if message.set else ()), *message.samples]
        origins = [Origin(f"sample:{name}") for name in names]
        origins += [self.studio.origins.find(source) for source in message.sources]
        if not origins:
            raise MessageError("bad_field", "Name a set, samples or sources.", where="set")
        await asyncio.to_thread(lambda: [self.studio.origins.clip(origin) for origin in origins])
        stack, added = room.document.state, []
        for origin in origins:
            known_name = next((name for name, known in stack.inputs if known == origin), None)
            name = known_name or stack.free_name(origin.stem)
            stack = stack if known_name else stack.add_input(name, origin)
            added.append(name)
        room.edit(session, message, stack, f"Add {len(added)} clips", names=added)

    async def input_remove(self, session: Session, message: messages.RemoveInput) -> None:
        room = self.studio.motion_room(message.doc)
        stack = room.document.state.remove_input(message.name)
        room.edit(session, message, stack, f"Remove clip {message.name}")

    async def source_set(self, session: Session, message: messages.SetSource) -> None:
        room = self.studio.motion_room(message.doc)
        origin = self.studio.origins.find(message.source)
        await asyncio.to_thread(self.studio.origins.clip, origin)
        room.edit(session, message, replace(room.document.state, source=origin), f"Source {origin.label}")

    async def recipe_set(self, session: Session, message: messages.SetRecipe) -> None:
        room = self.studio.motion_room(message.doc)
        if (message.text is None) == (message.source is None):
            raise MessageError("bad_field", "Give the recipe as text or as a source.", where="text")
        if message.text is not None:
            recipe = await asyncio.to_thread(self._parse_recipe, message.text)
        else:
            assert message.source is not None
            recipe = await asyncio.to_thread(self._read_recipe, self.studio.origins.find(message.source))
        stack = room.document.state.with_recipe(recipe, self.studio.origins.named, append=message.append)
        label = f"{'Add' if message.append else 'Open'} recipe {recipe.name}".strip()
        room.edit(session, message, stack, label)

    def _read_recipe(self, origin: Origin) -> Recipe:
        with self.studio.origins.confined():
            return Recipe.read(origin.place)

    def _parse_recipe(self, text: str) -> Recipe:
        with self.studio.origins.confined():
            return Recipe.parse(text, folder=self.studio.origins.folder or Path.cwd())

    async def tracks_set(self, session: Session, message: messages.SetTracks) -> None:
        room = self.studio.motion_room(message.doc)
        room.edit(session, message, room.document.state.with_tracks(message.tracks), "Arrange clips")

    async def pose(self, session: Session, message: messages.PoseJoint) -> None:
        room = self.studio.motion_room(message.doc)
        if room.outcome is None:
            raise MessageError("busy", "The motion is not computed yet; try again in a moment.")
        stack, step, key, joint = pose_key(room.document.state, room.outcome, message)
        label = f"Displace {_joint_label(room.outcome.clip.skeleton, joint)} at frame {message.frame}"
        room.edit(session, message, stack, label, step=step, key=key)
        if message.drag:
            session.done(message, edit=room.document.edit, step=step, key=key)


def _joint_label(skeleton: Skeleton, joint: str) -> str:
    """A joint by its role where it has one, as on the page."""
    index = skeleton.index(joint)
    return next((role for role, each in skeleton.roles.items() if each == index), joint)
