"""The record of a folder: which run wrote which file, and what a run has begun there.

It lies in the folder itself. Its name has no ending that `kubectl apply -f` or Argo CD would read.
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
"""File name to SHA-256 of its content."""


class RecordedRun(msgspec.Struct, frozen=True):
    """What one run wrote into a folder."""

    files: Files
    workloads: dict[str, str] = {}
    """File name to the workload that it was made for, where that is known."""
    profile: str = ""
    """The profile that it was rendered for; empty where that is not known."""

    def only(self, names: Container[str]) -> "RecordedRun":
        """Return what it wrote of some files."""
        workloads = {name: value for name, value in self.workloads.items() if name in names}
        files = {name: digest for name, digest in self.files.items() if name in names}
        return RecordedRun(files, workloads, self.profile)


Runs = dict[Inputs, RecordedRun]


class Begun(msgspec.Struct, frozen=True):
    """What a run is about to do, in case it is killed meanwhile."""

    number: str
    """The run's own: the same in all folders that it writes."""
    others: tuple[str, ...]
    """These folders but this one, as seen from here."""
    changes: dict[str, tuple[str | None, str | None]]
    """File name to digests before and after; None for no file. By name."""
    runs: Runs
    """What the record says when it is done."""


class FolderRecord(msgspec.Struct):
    """What runs wrote into a folder."""

    runs: Runs = msgspec.field(default_factory=dict)
    begun: Begun | None = None

    def assigned(self, inputs: Inputs, run: RecordedRun) -> Runs:
        """Return the runs, with the files of this one its own from now on, and no other's."""
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
        """Return the record as the file has it: the same for the same runs, whatever their order.

        Bytes of a path that are no UTF-8 are half surrogates, which JSON escapes.
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
    """Return what a run is known by: its inputs in one order, paths as seen from the folder.

    So it does not matter in what words or from which working directory they were named, nor where
    a checkout that holds both lies.
    """
    path = os.path.realpath(folder)
    return tuple(sorted({_seen_from(path, item) for item in inputs}))


def _seen_from(folder: str, item: str | FilePath) -> str:
    if isinstance(item, str):
        return item
    return FilePath(os.path.relpath(os.path.realpath(item), folder)).as_posix()


def read_record(folder: FilePath) -> FolderRecord:
    """Return the folder's record; an empty one where there is none. Raises `InputError`."""
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
    """Return whether a name stays in the folder, wherever a record came from, and is none of our
    own."""
    inside = os.path.basename(name) == name and name not in ("", ".", "..")
    return inside and _is_path(name) and not name.startswith(PREFIX)


def _is_path(name: str) -> bool:
    """Return whether the system can look for it. Raises `ValueError` for halves of surrogate
    pairs."""
    return b"\0" not in os.fsencode(name)
