"""Writing folders: one file per object, and a record of what was written.

The record lets a later run of the same inputs replace and remove its own files and touch nothing
else. New content is written beside the old first and renamed into place when all of it is there.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path as FilePath

import msgspec

from gpuspec.manifests import InputError, Problem
from gpuspec.render.lock import locked
from gpuspec.render.record import RECORD, Files, Record, read_record, run_inputs


class Output(msgspec.Struct, frozen=True):
    """One folder to write: file names and texts, and what names the run."""

    folder: FilePath
    files: Mapping[str, str]
    inputs: Iterable[str | FilePath]
    """The run's inputs. A path is a file or folder; a text is itself (a profile's name, `-`)."""


class Written(msgspec.Struct, frozen=True):
    """What a run did to a folder: file names, sorted."""

    written: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]
    kept: tuple[str, ...]
    """Files of an earlier run that are no longer made but were changed by hand since."""


def write_folder(
    folder: FilePath, files: Mapping[str, str], inputs: Iterable[str | FilePath]
) -> Written:
    """Write one folder. Raises as `write_folders` does."""
    return write_folders([Output(folder, files, inputs)])[0]


def write_folders(outputs: Iterable[Output]) -> list[Written]:
    """Write the files of each folder, and remove what an earlier run of its inputs alone wrote.

    Nothing is changed anywhere before all content is on disk. Links are replaced or refused, never
    followed. Raises `InputError` for folders that cannot be written, files in the way that are not
    of an earlier run, and two outputs in one folder.
    """
    given = list(outputs)
    wanted = {os.path.realpath(output.folder): output for output in given}
    problems: list[Problem] = []
    if len(wanted) < len(given):
        problems.append(Problem("two outputs are in one folder"))
    staged: dict[str, _Staged] = {}
    with ExitStack() as stack:
        # In one order, so that two runs never wait for each other's folders.
        for where, output in sorted(wanted.items()):
            try:
                staged[where] = stack.enter_context(_staged(output))
            except InputError as error:
                problems += error.problems
            except OSError as error:
                problems.append(_unwritable(output.folder, error))
        if problems:
            raise InputError(problems)
        return [staged[where].commit() for where in wanted]


@contextmanager
def _staged(output: Output) -> Iterator["_Staged"]:
    """A folder, locked, with the new content in a hidden folder inside it."""
    import tempfile

    folder = output.folder
    if folder.exists() and not folder.is_dir():
        raise InputError([Problem(f"{folder} is not a folder")])
    with _made(folder), locked(folder):
        work = _Staged(output, read_record(folder))
        with tempfile.TemporaryDirectory(prefix=".gpuspec-", dir=folder) as name:
            work.write(FilePath(name))
            yield work


@contextmanager
def _made(folder: FilePath) -> Iterator[None]:
    """The folder and its parents; those that are made here go again if they stay empty."""
    new = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    finally:
        for path in new:
            try:
                path.rmdir()
            except OSError:
                break


class _Staged:
    """One output on its way."""

    def __init__(self, output: Output, record: Record) -> None:
        """Raises `InputError` for what is in the way."""
        self._folder = output.folder
        self._record = record
        self._inputs = run_inputs(output.folder, output.inputs)
        self._mine: Files = record.runs.get(self._inputs, {})
        others = {
            name for run, files in record.runs.items() if run != self._inputs for name in files
        }
        self._texts = dict(sorted(output.files.items()))
        self._new = {name: _sha(text.encode()) for name, text in self._texts.items()}
        self._have = {name: _digest(output.folder / name) for name in {**self._mine, **self._new}}
        self._check(others)
        self._gone = sorted(set(self._mine) - set(self._new) - others)

    def _check(self, others: set[str]) -> None:
        problems: list[Problem] = []
        for name, digest in self._new.items():
            path, there = self._folder / name, self._have[name]
            if name in others and there is not None:
                text = f"{path} was written by a run of other inputs"
                hint = "render both in one run, write into another folder, or delete the file"
                problems.append(Problem(text, hint=hint))
            elif there == _STRANGE or (name not in self._mine and there not in (None, digest)):
                text = f"{path} is in the way: gpuspec did not write it"
                problems.append(Problem(text, hint="move it, or write into another folder"))
        if problems:
            raise InputError(problems)

    def write(self, beside: FilePath) -> None:
        """Write what is to be changed into another folder of the same file system."""
        self._beside = beside
        changed = [name for name in self._new if self._have[name] != self._new[name]]
        # Numbers for names: what a killed run leaves behind must not look like a manifest.
        self._changed = {name: beside / str(number) for number, name in enumerate(changed)}
        for name, path in self._changed.items():
            _write(path, self._texts[name])

    def commit(self) -> Written:
        """Rename everything into place. Raises `InputError`."""
        kept = [name for name in self._gone if self._have[name] not in (None, self._mine[name])]
        removed = [name for name in self._gone if name not in kept and self._have[name]]
        try:
            # The record goes first and still names what goes, so that a run that is cut short
            # knows its files.
            self._keep_record(self._new | {name: self._mine[name] for name in removed})
            for name, path in self._changed.items():
                path.replace(self._folder / name)
            for name in removed:
                (self._folder / name).unlink()
            self._keep_record(self._new)
        except OSError as error:
            raise InputError([_unwritable(self._folder, error)]) from None
        unchanged = tuple(name for name in self._new if name not in self._changed)
        return Written(tuple(self._changed), unchanged, tuple(removed), tuple(kept))

    def _keep_record(self, files: Files) -> None:
        self._record.assign(self._inputs, files)
        text, path = self._record.text(), self._folder / RECORD
        if _digest(path) != _sha(text.encode()):
            _write(self._beside / "record", text)
            (self._beside / "record").replace(path)


_STRANGE = "no file"
"""Stands for the digest of a link, a folder, a device: nothing that gpuspec writes."""


def _digest(path: FilePath) -> str | None:
    if path.is_symlink() or (path.exists() and not path.is_file()):
        return _STRANGE
    try:
        return _sha(path.read_bytes())
    except FileNotFoundError:
        return None


def _sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _write(path: FilePath, text: str) -> None:
    path.write_bytes(text.encode())


def _unwritable(folder: FilePath, error: OSError) -> Problem:
    return Problem(f"{folder} cannot be written: {error.strerror}")
