"""Writing folders: one file per object, and a record of what was written.

With the record, a later run with the same inputs replaces and removes its own files, and touches no
others.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path as FilePath

import msgspec

from gpuspec.manifests import InputError, Problem
from gpuspec.render.contents import STRANGE, digest, digest_of
from gpuspec.render.lock import locked
from gpuspec.render.places import check_place
from gpuspec.render.record import RecordedRun, read_record, run_inputs
from gpuspec.render.transaction import (
    FolderChange,
    Settled,
    change,
    clear,
    linked,
    settle,
    unwritable,
)


class FolderOutput(msgspec.Struct, frozen=True):
    """One folder to write: file names, texts, and the identity of the run."""

    folder: FilePath
    files: Mapping[str, str]
    inputs: Iterable[str | FilePath]
    """The run's inputs. A path is a file or folder; a string is literal (a profile's name, `-`)."""
    workloads: Mapping[str, str] = {}
    """The workload of each file name."""
    refused: tuple[str, ...] = ()
    """Workloads that are not rendered this time; files that an earlier run wrote for them stay."""
    profile: str = ""
    """The profile for which everything is rendered."""

    def stays(self, name: str, run: RecordedRun) -> bool:
        """Return whether a file of an earlier run must stay.

        An old record does not tell the workload of a file, so it may belong to a refused one.
        """
        return bool(self.refused) and run.workloads.get(name, "") in ("", *self.refused)


class Written(msgspec.Struct, frozen=True):
    """The changes that a run made to a folder: file names, sorted."""

    written: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]
    kept: tuple[str, ...]
    """Files of an earlier run that would be removed, but have been edited since."""
    stayed: dict[str, str] = {}
    """Unchanged files that an earlier run wrote for workloads that are refused now, each with its
    workload; empty if that is unknown."""
    settled: Settled | None = None
    """How the changes of an interrupted earlier run were settled first."""


def write_folder(
    folder: FilePath, files: Mapping[str, str], inputs: Iterable[str | FilePath]
) -> Written:
    """Write one folder. Raises as `write_folders` does."""
    return write_folders([FolderOutput(folder, files, inputs)])[0]


def write_folders(outputs: Iterable[FolderOutput]) -> list[Written]:
    """Write the files of each folder, and remove those that only an earlier run with its inputs
    wrote.

    Either all changes are made or none: the next run finishes or undoes those of an interrupted
    one. Links are replaced or refused, never followed. Raises `InputError` for folders that cannot
    be written, for files in the way that no earlier run wrote or that were edited since, and for
    two outputs in one folder.
    """
    folder_outputs = list(outputs)
    problems = [problem for output in folder_outputs if (problem := _misplaced(output.folder))]
    if len({os.path.realpath(output.folder) for output in folder_outputs}) < len(folder_outputs):
        problems.append(Problem("two outputs are in one folder"))
    if problems:
        raise InputError(problems)
    with _held([output.folder for output in folder_outputs]) as settled:
        plans: list[_Plan] = []
        for output in folder_outputs:
            try:
                plans.append(_Plan(output, settled.get(output.folder)))
            except InputError as error:
                problems += error.problems
            except OSError as error:
                problems.append(unwritable(output.folder, error))
        if problems:
            raise InputError(problems)
        change(plan.change for plan in plans)
    return [plan.written for plan in plans]


def _misplaced(folder: FilePath) -> Problem | None:
    try:
        return check_place(folder)
    except OSError as error:
        return unwritable(folder, error)


@contextmanager
def _held(folders: list[FilePath]) -> Iterator[dict[FilePath, Settled]]:
    """Lock folders, and settle the changes of killed runs in them. Yields how they were settled."""
    paths = {os.path.realpath(folder): folder for folder in folders}
    more = paths
    while more:
        with ExitStack() as stack:
            free: dict[str, bool] = {}
            # In one order, so that two runs never wait for each other's folders.
            for where, folder in sorted(paths.items()):
                try:
                    stack.enter_context(_made(folder))
                    free[where] = stack.enter_context(locked(folder))
                except OSError as error:
                    raise InputError([unwritable(folder, error)]) from None
            more = {os.path.realpath(file_path): file_path for file_path in linked(paths.values())}
            more = {where: folder for where, folder in more.items() if where not in paths}
            if not more:
                settled = settle(paths.values())
                for where, folder in paths.items():
                    # Without locks nobody knows whether who left it is still at work.
                    if free[where]:
                        clear(folder)
                yield settled
        paths |= more


@contextmanager
def _made(folder: FilePath) -> Iterator[None]:
    """Remove a folder and its parents afterwards, if they were created meanwhile and are empty."""
    new = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        yield
    finally:
        for path in new:
            try:
                path.rmdir()
            except OSError:
                break


class _Plan:
    """The planned changes to a folder."""

    def __init__(self, output: FolderOutput, settled: Settled | None) -> None:
        """Plan the changes. Raises `InputError` for files in the way."""
        self._folder = output.folder
        record = read_record(output.folder)
        inputs = run_inputs(output.folder, output.inputs)
        mine = record.runs.get(inputs, RecordedRun({}))
        self._mine = mine.files
        others = {
            name
            for known_inputs, run in record.runs.items()
            if known_inputs != inputs
            for name in run.files
        }
        texts = {name: text.encode() for name, text in sorted(output.files.items())}
        self._new = {name: digest_of(text) for name, text in texts.items()}
        self._have = {
            name: digest(str(output.folder / name)) for name in {**self._mine, **self._new}
        }
        self._check(
            others, {name for name in self._new if mine.workloads.get(name) in output.refused}
        )
        stayed = tuple(
            sorted(name for name in set(self._mine) - set(self._new) if output.stays(name, mine))
        )
        gone = sorted(set(self._mine) - set(self._new) - others - set(stayed))
        edited = tuple(name for name in gone if self._have[name] not in (None, self._mine[name]))
        removed = tuple(name for name in gone if name not in edited and self._have[name])
        rewritten = tuple(name for name in self._new if self._have[name] != self._new[name])
        unchanged = tuple(name for name in self._new if name not in rewritten)
        changed = {name: texts.get(name) for name in (*rewritten, *removed)}
        recorded_run = mine.only(stayed)
        workloads = {**recorded_run.workloads, **output.workloads}
        run = RecordedRun({**recorded_run.files, **self._new}, workloads, output.profile)
        runs = record.assigned(inputs, run)
        self.change = FolderChange(output.folder, record, changed, self._have, runs)
        workload_of_file = {
            name: mine.workloads.get(name, "") for name in stayed if self._have[name]
        }
        self.written = Written(rewritten, unchanged, removed, edited, workload_of_file, settled)

    def _check(self, others: set[str], refused: set[str]) -> None:
        problems: list[Problem] = []
        for name, value in self._new.items():
            path, existing = self._folder / name, self._have[name]
            if name in refused and existing not in (None, value):
                text = f"{path} was written for a workload that is refused now"
                hint = "give one of the two workloads another name"
                problems.append(Problem(text, hint=hint))
            elif name in others and existing is not None:
                text = f"{path} was written by a run with other inputs"
                hint = "render both in one run, write into another folder, or delete the file"
                problems.append(Problem(text, hint=hint))
            elif existing == STRANGE or (name not in self._mine and existing not in (None, value)):
                text = f"{path} is in the way: gpuspec did not write it"
                problems.append(Problem(text, hint="move it, or write into another folder"))
            elif existing not in (None, value, self._mine.get(name)):
                text = f"{path} was edited by hand since gpuspec wrote it"
                hint = "delete it to render it again, and make the change in the spec"
                problems.append(Problem(text, hint=hint))
        if problems:
            raise InputError(problems)
