"""Writing a folder: one file per object, and a record of what was written.

The record lets a later run of the same inputs replace and remove its own files and touch nothing
else. Its name has no ending that `kubectl apply -f` or Argo CD would read.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from gpuspec.manifests import InputError, Problem

RECORD = ".gpuspec-record"


@dataclass(frozen=True, slots=True)
class Written:
    """What a run did to a folder: file names, sorted."""

    written: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]
    kept: tuple[str, ...]
    """Files of an earlier run that are no longer made but were changed by hand since."""


def write_folder(folder: FilePath, files: dict[str, str], inputs: Iterable[str]) -> Written:
    """Write the files, and remove what an earlier run of the same inputs wrote and this did not.

    `inputs` names the run: the spec paths and the profile. Nothing is written when anything
    cannot be. Raises `InputError` for a folder that cannot be written, or a file in the way that
    is not of an earlier run.
    """
    key = _key(inputs)
    record = _read_record(folder)
    mine: dict[str, str] = record["runs"].get(key, {})
    others = {name for run, names in record["runs"].items() if run != key for name in names}
    _check(folder, files, mine, others)
    unchanged = tuple(
        name for name in sorted(files) if _digest_of(folder / name) == _sha(files[name])
    )
    gone = sorted(set(mine) - set(files) - others)
    kept = tuple(name for name in gone if _digest_of(folder / name) not in (None, mine[name]))
    removed = tuple(name for name in gone if name not in kept and (folder / name).exists())
    record["runs"][key] = {name: _sha(text) for name, text in sorted(files.items())}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in sorted(set(files) - set(unchanged)):
            _replace(folder / name, files[name])
        for name in removed:
            (folder / name).unlink()
        text = json.dumps(record, indent=1, sort_keys=True) + "\n"
        if _digest_of(folder / RECORD) != _sha(text):
            _replace(folder / RECORD, text)
    except OSError as error:
        raise InputError([Problem(f"{error.filename}: {error.strerror}")]) from None
    return Written(tuple(sorted(set(files) - set(unchanged))), unchanged, removed, kept)


def _key(inputs: Iterable[str]) -> str:
    return " ".join(inputs)


def _check(folder: FilePath, files: dict[str, str], mine: dict[str, str], others: set[str]) -> None:
    problems: list[Problem] = []
    if folder.exists() and not folder.is_dir():
        raise InputError([Problem(f"{folder} is not a folder")])
    for name in sorted(files):
        if name in others:
            text = f"{folder / name} was written by a run of other inputs"
            problems.append(Problem(text, hint="render both in one run, or into two folders"))
        elif name not in mine and _digest_of(folder / name) not in (None, _sha(files[name])):
            text = f"{folder / name} is in the way: gpuspec did not write it"
            problems.append(Problem(text, hint="move it, or write into another folder"))
    if problems:
        raise InputError(problems)


def _read_record(folder: FilePath) -> dict[str, Any]:
    path = folder / RECORD
    try:
        record = json.loads(path.read_text())
        if isinstance(record, dict) and isinstance(record.get("runs"), dict):
            return record
    except FileNotFoundError:
        return {"format": 1, "runs": {}}
    except NotADirectoryError:
        raise InputError([Problem(f"{folder} is not a folder")]) from None
    except (OSError, ValueError):
        pass
    raise InputError([Problem(f"{path} is not a record that gpuspec wrote", hint="delete it")])


def _replace(path: FilePath, text: str) -> None:
    """Write beside and rename over, so that nobody reads half a file."""
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(text, encoding="utf-8", newline="\n")
    beside.replace(path)


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _digest_of(path: FilePath) -> str | None:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None
