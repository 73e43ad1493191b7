"""Notes about a folder, in small SQLite files: one writer at a time, and nothing in them that we did not put there."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from kinetune.errors import FileError

FOLDER = ".kinetune"
"""Where the notes about a folder are, inside it."""


def hold(path: Path, folder: Path, advice: str) -> sqlite3.Connection:
    """Hold a folder until the connection is closed or this process ends; refused while another process holds it.

    Parameters
    ----------
    path : the file of the lock.
    folder : the folder as the user named it.
    advice : what to do when another process holds it.
    """
    lock = sqlite3.connect(path, timeout=0.0, isolation_level=None)
    try:
        lock.execute("begin exclusive")
    except sqlite3.OperationalError as error:
        lock.close()
        if "locked" not in str(error):
            raise _unusable(path, error) from None
        raise FileError(folder, "another run is writing into this folder.", advice=advice) from None
    except sqlite3.Error as error:
        lock.close()
        raise _unusable(path, error) from None
    return lock


def check_layout(table: sqlite3.Connection, script: str) -> None:
    """Raise unless a file has the tables of ``script`` as they are written there, and nothing else.

    Notes come with the folder that they are about, so a stranger may have written them: a view in the place of a table
    can compute for ever, and a trigger writes what nobody asked for.
    """
    everything = "select type, name, tbl_name, sql from sqlite_master order by type, name"
    with closing(sqlite3.connect(":memory:")) as ours:
        ours.executescript(script)
        if table.execute(everything).fetchall() != ours.execute(everything).fetchall():
            raise sqlite3.DatabaseError("it has other tables")


def _unusable(path: Path, error: sqlite3.Error) -> FileError:
    full = error.sqlite_errorcode == sqlite3.SQLITE_FULL
    advice = "Free some space or write elsewhere." if full else "Delete that file."
    return FileError(path, f"the lock of this folder cannot be used ({error}).", advice=advice)
