"""Atomic changes of several folders: a killed run leaves all changes or none.

A run writes all new files into a hidden folder inside each folder, then the planned changes into
each record, then renames file by file, and finally writes the new records. The next run sees in the
records that changes were begun, and in the hidden folders how far they got. If not all records
contain the plan yet and no file was moved, the changes are undone; otherwise they are finished.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path as FilePath
from typing import Literal

import msgspec

from gpuspec.manifests import InputError, Problem
from gpuspec.manifests.writing import PREFIX, RECORD, create
from gpuspec.render.contents import digest, digest_of
from gpuspec.render.record import Begun, FolderRecord, RecordedRun, Runs, read_record

Settled = Literal["finished", "undone"]

_STAGE = re.compile(rf"{re.escape(PREFIX)}[0-9a-z_]{{8,12}}")
_STAGED = re.compile(r"[0-9]+|record|begun")


class FolderChange(msgspec.Struct, frozen=True):
    """The changes of a run to one folder."""

    folder: FilePath
    record: FolderRecord
    """The current record."""
    texts: Mapping[str, bytes | None]
    """The new content by file name, None for a file to remove; unchanged files are left out."""
    before: Mapping[str, str | None]
    """Digests of these files."""
    runs: Runs
    """The runs of the new record."""


def change(changes: Iterable[FolderChange]) -> None:
    """Make all of these changes or none. The folders are locked and settled.

    Raises `InputError` for folders that cannot be written.
    """
    folder_changes = [
        folder_change
        for folder_change in changes
        if folder_change.texts or folder_change.runs != folder_change.record.runs
    ]
    number = os.urandom(6).hex()
    records = {
        folder_change.folder: FolderRecord(
            folder_change.record.runs, _begun(folder_change, number, folder_changes)
        )
        for folder_change in folder_changes
    }
    try:
        for folder_change in folder_changes:
            with _writing(folder_change.folder):
                _stage(folder_change, records[folder_change.folder])
        for folder, record in records.items():
            with _writing(folder):
                _put(record, folder, number)
        _finish(records)
    except BaseException:
        # Whatever it was, an interrupt too: nobody need come by to settle it if that can be done.
        with suppress(InputError, OSError):
            settle(records)
            for folder in records:
                _clear(folder / f"{PREFIX}{number}")
        raise


def _begun(folder_change: FolderChange, number: str, folder_changes: list[FolderChange]) -> Begun:
    path = os.path.realpath(folder_change.folder)
    others = sorted(
        os.path.relpath(os.path.realpath(other_change.folder), path)
        for other_change in folder_changes
    )
    changes = {
        name: (folder_change.before[name], None if text is None else digest_of(text))
        for name, text in sorted(folder_change.texts.items())
    }
    return Begun(
        number,
        tuple(other_folder for other_folder in others if other_folder != "."),
        changes,
        folder_change.runs,
    )


def settle(folders: Iterable[FilePath]) -> dict[FilePath, Settled]:
    """Finish or undo the changes of killed runs in folders. They and all `linked` folders must be
    locked.

    Raises `InputError`.
    """
    records = {folder: read_record(folder) for folder in folders}
    settled: dict[FilePath, Settled] = {}
    for number in sorted({record.begun.number for record in records.values() if record.begun}):
        members = {
            folder: record
            for folder, record in records.items()
            if record.begun and record.begun.number == number
        }
        begun = {folder: record.begun for folder, record in members.items() if record.begun}
        resolved_folders = {os.path.realpath(folder) for folder in begun}
        complete = all(
            os.path.realpath(folder / other_folder) in resolved_folders
            for folder, folder_begun in begun.items()
            for other_folder in folder_begun.others
        )
        if complete or any(
            _has_moved(folder, folder_begun) for folder, folder_begun in begun.items()
        ):
            _finish(members)
            settled |= dict.fromkeys(members, "finished")
        else:
            _undo(members, number)
            settled |= dict.fromkeys(members, "undone")
    return settled


def linked(folders: Iterable[FilePath]) -> Iterator[FilePath]:
    """Yield the folders that killed runs changed together with these."""
    for folder in folders:
        if begun := read_record(folder).begun:
            for other_folder in begun.others:
                with suppress(InputError):
                    other_begun = read_record(folder / other_folder).begun
                    if other_begun and other_begun.number == begun.number:
                        yield folder / other_folder


def clear(folder: FilePath) -> None:
    """Remove the leftovers of killed runs in a locked and settled folder."""
    with _writing(folder):
        for name in filter(_STAGE.fullmatch, os.listdir(folder)):
            _clear(folder / name)


def _stage(folder_change: FolderChange, record: FolderRecord) -> None:
    """Write all files that will be renamed into place, so that no further disk space is needed."""
    assert record.begun is not None
    stage = _stage_of(folder_change.folder, record.begun.number)
    # Numbers for names: what a killed run leaves behind must not look like a manifest.
    for at, name in enumerate(record.begun.changes):
        if (text := folder_change.texts[name]) is not None:
            # Nobody waits for the disk: who comes next knows by its digest what is whole.
            create(str(stage / str(at)), text, _lstat(folder_change.folder / name))
    for name, content in (
        ("begun", record.content()),
        ("record", FolderRecord(folder_change.runs).content()),
    ):
        create(str(stage / name), content, _lstat(folder_change.folder / RECORD), lasting=True)


def _stage_of(folder: FilePath, number: str) -> FilePath:
    """Return the hidden folder of a run, created if missing, and never a link."""
    stage = folder / f"{PREFIX}{number}"
    if stage.is_symlink():
        stage.unlink()
    stage.mkdir(exist_ok=True)
    return stage


def _put(record: FolderRecord, folder: FilePath, number: str) -> None:
    """Replace the record."""
    stage, content = _stage_of(folder, number), record.content()
    new = stage / ("begun" if record.begun else "record")
    if digest(str(new)) != digest_of(content):
        new.unlink(missing_ok=True)
        create(str(new), content, _lstat(folder / RECORD))
    new.replace(folder / RECORD)


def _has_moved(folder: FilePath, begun: Begun) -> bool:
    """Return whether any file was renamed: staged files disappear from the hidden folder, and
    removed ones appear there."""
    stage = folder / f"{PREFIX}{begun.number}"
    with _writing(folder):
        return any(
            (stage / str(at)).exists() == (after is None)
            for at, (_, after) in enumerate(begun.changes.values())
        )


def _finish(records: Mapping[FilePath, FolderRecord]) -> None:
    done: dict[FilePath, FolderRecord] = {}
    for folder, record in records.items():
        with _writing(folder):
            done[folder] = _moved(folder, record)
    for folder, record in records.items():
        assert record.begun is not None
        with _writing(folder):
            _put(done[folder], folder, record.begun.number)
            _clear(folder / f"{PREFIX}{record.begun.number}")


def _moved(folder: FilePath, record: FolderRecord) -> FolderRecord:
    """Rename file by file, but never over a file that has changed since. Returns the runs of the
    new record."""
    begun = record.begun
    assert begun is not None
    stage = _stage_of(folder, begun.number)
    old: dict[str, str] = {}
    for at, (name, (before, after)) in enumerate(begun.changes.items()):
        path, staged = folder / name, stage / str(at)
        if digest(str(path)) not in (before, after):
            continue
        if after is None:
            with suppress(FileNotFoundError):
                path.replace(staged)
        elif digest(str(staged)) == after:
            staged.replace(path)
        elif before is not None and digest(str(path)) == before:
            # Somebody has removed what was staged: the file is still an earlier run's.
            old[name] = before
    return FolderRecord({inputs: _still(run, old) for inputs, run in begun.runs.items()})


def _still(run: RecordedRun, old: dict[str, str]) -> RecordedRun:
    """Return a run of which some files still are those of an earlier run."""
    mine = {name: digest for name, digest in old.items() if name in run.files}
    return msgspec.structs.replace(run, files=run.files | mine)


def _undo(records: Mapping[FilePath, FolderRecord], number: str) -> None:
    for folder, record in records.items():
        with _writing(folder):
            if record.runs:
                _put(FolderRecord(record.runs), folder, number)
            else:
                (folder / RECORD).unlink()
            _clear(folder / f"{PREFIX}{number}")


def _clear(stage: FilePath) -> None:
    """Remove a run's hidden folder; files that gpuspec did not write stay."""
    with suppress(OSError):
        if not stage.is_symlink():
            for name in filter(_STAGED.fullmatch, os.listdir(stage)):
                (stage / name).unlink()
            stage.rmdir()


def _lstat(path: FilePath) -> os.stat_result | None:
    try:
        return path.lstat()
    except FileNotFoundError:
        return None


@contextmanager
def _writing(folder: FilePath) -> Iterator[None]:
    """Convert an `OSError` for a folder into an `InputError`."""
    try:
        yield
    except OSError as error:
        raise InputError([unwritable(folder, error)]) from None


def unwritable(folder: FilePath, error: OSError) -> Problem:
    """Return the problem with a folder that cannot be written."""
    return Problem(f"{folder} cannot be written: {error.strerror}")
