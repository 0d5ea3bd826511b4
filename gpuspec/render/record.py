"""The record of a folder: which run wrote which file.

It lies in the folder itself. Its name has no ending that `kubectl apply -f` or Argo CD would read.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path as FilePath

import msgspec

from gpuspec.manifests import InputError, Problem

RECORD = ".gpuspec-record"
FORMAT = 1

Inputs = tuple[str, ...]
Files = dict[str, str]
"""File name to SHA-256 of its content."""


class Record(msgspec.Struct):
    """What runs wrote into a folder."""

    runs: dict[Inputs, Files] = msgspec.field(default_factory=dict)

    def assign(self, inputs: Inputs, files: Files) -> None:
        """These files are that run's from now on, and no other's."""
        left = {
            run: {name: digest for name, digest in names.items() if name not in files}
            for run, names in self.runs.items()
        }
        left[inputs] = files
        self.runs = {run: names for run, names in left.items() if names}

    def text(self) -> str:
        """The record as the file has it: the same for the same runs, whatever their order."""
        runs = [
            {"inputs": list(inputs), "files": files} for inputs, files in sorted(self.runs.items())
        ]
        made = {"format": FORMAT, "runs": runs}
        return json.dumps(made, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def run_inputs(folder: FilePath, inputs: Iterable[str | FilePath]) -> Inputs:
    """What a run is known by: its inputs in one order, paths as seen from the folder.

    So it does not matter in what words or from which working directory they were named, nor where
    a checkout that holds both lies.
    """
    here = os.path.realpath(folder)
    return tuple(sorted({_seen_from(here, item) for item in inputs}))


def _seen_from(here: str, item: str | FilePath) -> str:
    if isinstance(item, str):
        return item
    there = os.path.realpath(item)
    try:
        return FilePath(os.path.relpath(there, here)).as_posix()
    except ValueError:  # another drive
        return FilePath(there).as_posix()


def read_record(folder: FilePath) -> Record:
    """The folder's record; an empty one where there is none. Raises `InputError`."""
    path = folder / RECORD
    try:
        return _parse(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return Record()
    except OSError as error:
        raise InputError([Problem(f"{path}: {error.strerror}")]) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        hint = "delete it, and the files that gpuspec wrote beside it"
        text = f"{path} is no record that this version of gpuspec wrote"
        raise InputError([Problem(text, hint=hint)]) from None


def _parse(value: dict[str, object]) -> Record:
    runs = value["runs"]
    if value["format"] != FORMAT or not isinstance(runs, list):
        raise ValueError
    record = Record()
    for run in runs:
        files = {str(name): str(digest) for name, digest in run["files"].items()}
        # A record may come with somebody's repository: it must not lead out of the folder.
        if any(FilePath(name).name != name or name in ("", "..") for name in files):
            raise ValueError
        record.runs[tuple(map(str, run["inputs"]))] = files
    return record
