"""The record of a folder: which run wrote which file, and the unfinished changes of a run.

It is a file in the folder itself, with an ending that neither `kubectl apply -f` nor Argo CD reads.
"""

import json
import os
from collections.abc import Container, Iterable
from pathlib import Path as FilePath
from typing import Annotated, Any

import msgspec

from gpuspec.manifests import InputError, Problem
from gpuspec.manifests.limits import MAX_RECORD
from gpuspec.manifests.writing import PREFIX, RECORD
from gpuspec.render.contents import StrangeError, regular

FORMAT = 1

Inputs = tuple[str, ...]
Files = dict[str, str]
"""SHA-256 of the content, by file name."""


class RecordedRun(msgspec.Struct, frozen=True):
    """The files that one run wrote into a folder."""

    files: Files
    workloads: dict[str, str] = {}
    """The workload of each file name, if known."""
    profile: str = ""
    """The profile for which it was rendered; empty if unknown."""

    def only(self, names: Container[str]) -> "RecordedRun":
        """Return the record restricted to some files."""
        workloads = {name: value for name, value in self.workloads.items() if name in names}
        files = {name: digest for name, digest in self.files.items() if name in names}
        return RecordedRun(files, workloads, self.profile)


Runs = dict[Inputs, RecordedRun]


class Begun(msgspec.Struct, frozen=True):
    """The changes that a run is about to make, in case it is killed meanwhile."""

    number: str
    """The run's number, the same in all its folders."""
    others: tuple[str, ...]
    """The other folders of the run, relative to this one."""
    changes: dict[str, tuple[str | None, str | None]]
    """The digests before and after, by file name; None for no file."""
    runs: Runs
    """The content of the record after the changes."""


class FolderRecord(msgspec.Struct):
    """The files that runs wrote into a folder."""

    runs: Runs = msgspec.field(default_factory=dict)
    begun: Begun | None = None

    def assigned(self, inputs: Inputs, run: RecordedRun) -> Runs:
        """Return the runs, with these files assigned to this run and to no other."""
        recorded_runs = {
            known_inputs: recorded_run.only(recorded_run.files.keys() - run.files.keys())
            for known_inputs, recorded_run in self.runs.items()
        }
        recorded_runs[inputs] = run
        return {
            known_inputs: recorded_run
            for known_inputs, recorded_run in recorded_runs.items()
            if recorded_run.files
        }

    def content(self) -> bytes:
        """Return the content of the record file, which does not depend on the order of the runs.

        Bytes of a path that are not UTF-8 become lone surrogates, which JSON escapes.
        """
        record: dict[str, Any] = {"format": FORMAT, "runs": _listed(self.runs)}
        if self.begun is not None:
            record["begun"] = {
                "number": self.begun.number,
                "others": self.begun.others,
                "changes": self.begun.changes,
                "runs": _listed(self.begun.runs),
            }
        text = json.dumps(record, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
        return text.encode(errors="backslashreplace")


def _listed(runs: Runs) -> list[dict[str, Any]]:
    return [
        {
            "inputs": list(inputs),
            "files": run.files,
            **({"workloads": run.workloads} if run.workloads else {}),
            **({"profile": run.profile} if run.profile else {}),
        }
        for inputs, run in sorted(runs.items(), key=lambda entry: entry[0])
    ]


def run_inputs(folder: FilePath, inputs: Iterable[str | FilePath]) -> Inputs:
    """Return the identity of a run: its sorted inputs, with paths relative to the folder.

    So it depends neither on the spelling of the paths, nor on the working directory, nor on the
    location of a checkout that contains both.
    """
    path = os.path.realpath(folder)
    return tuple(sorted({_seen_from(path, item) for item in inputs}))


def _seen_from(folder: str, item: str | FilePath) -> str:
    if isinstance(item, str):
        return item
    return FilePath(os.path.relpath(os.path.realpath(item), folder)).as_posix()


def read_record(folder: FilePath) -> FolderRecord:
    """Return the folder's record; an empty one if there is none. Raises `InputError`."""
    path = folder / RECORD
    try:
        content = regular(str(path), MAX_RECORD)
    except FileNotFoundError:
        return FolderRecord()
    except StrangeError:
        hint = "delete it: gpuspec keeps its record in a file"
        raise InputError([Problem(f"{path} is not a regular file", hint=hint)]) from None
    except OSError as error:
        raise InputError([Problem(f"{path}: {error.strerror}")]) from None
    try:
        if len(content) > MAX_RECORD:
            raise ValueError
        return _parse(json.loads(content.decode()))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        hint = "delete it, and the files that gpuspec wrote next to it"
        text = f"{path} is not a record of this version of gpuspec"
        raise InputError([Problem(text, hint=hint)]) from None


def _parse(value: dict[str, Any]) -> FolderRecord:
    if value["format"] != FORMAT:
        raise ValueError
    record = FolderRecord(_runs(value["runs"]))
    if "begun" in value:
        begun = msgspec.convert(value["begun"], _Begun)
        if not all(map(_is_name, begun.changes)) or not all(map(_is_path, begun.others)):
            raise ValueError
        changes = dict(sorted(begun.changes.items()))
        record.begun = Begun(begun.number, begun.others, changes, _runs(begun.runs))
    return record


class _Begun(msgspec.Struct, frozen=True):
    number: Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{12}\Z")]
    others: tuple[str, ...]
    changes: dict[str, tuple[str | None, str | None]]
    runs: list[Any]


def _runs(value: object) -> Runs:
    if not isinstance(value, list):
        raise TypeError
    runs: Runs = {}
    for run in value:
        files = {str(name): str(digest) for name, digest in run["files"].items()}
        if not all(map(_is_name, files)):
            raise ValueError
        workloads = {
            str(name): str(workload)
            for name, workload in run.get("workloads", {}).items()
            if name in files
        }
        profile = str(run.get("profile", ""))
        runs[tuple(map(str, run["inputs"]))] = RecordedRun(files, workloads, profile)
    return runs


def _is_name(name: str) -> bool:
    """Return whether a name stays inside the folder, and is not a file of gpuspec's own."""
    inside = os.path.basename(name) == name and name not in ("", ".", "..")
    return inside and _is_path(name) and not name.startswith(PREFIX)


def _is_path(name: str) -> bool:
    """Return whether a name can be a path. Raises `ValueError` for lone surrogates."""
    return b"\0" not in os.fsencode(name)
