"""Files that the browser sends: taken in as a stream, up to a limit, under names that cannot lead elsewhere."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
from collections.abc import AsyncIterator
from pathlib import Path

from kinetune.studio.protocol.message_parts import MessageError

MOST_BYTES = 256 << 20
_NAME = re.compile(r"[^\w .()+-]", re.UNICODE)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


class TooLarge(MessageError):
    """An upload above the limit."""

    def __init__(self, message: str) -> None:
        super().__init__("refused", message)


class Uploads:
    """A folder with one folder inside for each batch of files that belong together."""

    def __init__(self, folder: Path, most_bytes: int = MOST_BYTES) -> None:
        self.folder = folder
        self.most_bytes = most_bytes

    async def take(
        self, name: str, batch: str | None, size: int | None, chunks: AsyncIterator[bytes]
    ) -> dict[str, object]:
        """Write a stream to a file; what is too large, or breaks off, leaves nothing behind.

        Parameters
        ----------
        size : what the browser says it will send, to refuse early.
        """
        clean = self._clean(name)
        if size is not None and size > self.most_bytes:
            raise TooLarge(self._too_large(clean))
        batch = secrets.token_hex(8) if batch is None else self._batch(batch)
        home = self.folder / batch
        home.mkdir(mode=0o700, exist_ok=True)
        temporary = home / f".{secrets.token_hex(6)}.part"
        total = 0
        try:
            with open(temporary, "xb", opener=_private) as file:
                async for chunk in chunks:
                    total += len(chunk)
                    if total > self.most_bytes:
                        raise TooLarge(self._too_large(clean))
                    await asyncio.to_thread(file.write, chunk)
            os.replace(temporary, home / clean)
        finally:
            temporary.unlink(missing_ok=True)
            if not any(home.iterdir()):
                home.rmdir()
        return {"upload": f"{batch}/{clean}", "batch": batch, "name": clean, "bytes": total}

    def path(self, upload: str) -> Path:
        """The file of an upload."""
        batch, slash, name = upload.partition("/")
        path = self.folder / self._batch(batch) / self._clean(name)
        if not slash or not path.is_file():
            raise MessageError("file", f"There is no upload {upload[:80]!r}. Drop the file again.")
        return path

    def _too_large(self, name: str) -> str:
        return (
            f"{name}: the file has more than {self.most_bytes >> 20} MB, which is too much to drop on the page. "
            "Start the studio on its folder instead: kinetune studio FOLDER"
        )

    @staticmethod
    def _batch(batch: str) -> str:
        if not re.fullmatch(r"[0-9a-f]{16}", batch):
            raise MessageError("bad_field", "That is no batch of uploads.")
        return batch

    @staticmethod
    def _clean(name: str) -> str:
        """The last part of a name, with nothing in it that a file system minds."""
        last = re.split(r"[/\\]", name)[-1]
        clean = _NAME.sub("_", last).strip(" .")[-120:]
        if not clean or not Path(clean).suffix:
            raise MessageError("bad_field", f"{name[:80]!r} has no suffix that names its format.")
        return clean
