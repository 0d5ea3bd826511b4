"""What an API server answers to a create, without one: its own code, built by `install` beside.

The server's judgement on what an object is, not on what a cluster has: see `create-judge/main.go`.
"""

import hashlib
import json
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path as File
from typing import Any, Literal

import msgspec

from gpuspec.manifests import Path
from tests.control_plane import binaries
from tests.refusals.fields import path_of
from tests.refusals.misnamed import meant

Object = dict[str, Any]
Minor = Literal["1.35", "1.37"]
MINORS: tuple[Minor, ...] = ("1.35", "1.37")
NEWEST: Minor = "1.37"
HERE = File(__file__).parent


class Said(msgspec.Struct, frozen=True):
    """One thing that the server refuses."""

    field: str
    """Where, in the server's spelling; empty where it does not say."""
    type: str
    """A cause of a Status, such as `FieldValueInvalid`, or one of the judge's own (`verdict.go`)."""
    message: str
    """What kubectl shows behind the field."""
    detail: str = ""
    """The message without its type and the value."""
    path: Path = ()
    """The field that is meant, as a path of the object."""


class Verdict(msgspec.Struct, frozen=True):
    """What the server says of one object: it takes it if there are no errors."""

    errors: tuple[Said, ...]
    warnings: tuple[str, ...]

    @property
    def accepted(self) -> bool:
        return not self.errors


class Kind(msgspec.Struct, frozen=True, rename="camel"):
    """A kind that is served, in one version."""

    api_version: str
    kind: str
    namespaced: bool


@cache
def program(minor: Minor = NEWEST) -> File:
    """The judge that was built from the sources as they are. Raises `binaries.Missing`."""
    sources = sorted((HERE / "create-judge").glob("*.go"))
    return cached("create-judge", "create-judge", sources, minor)


def cached(name: str, file: str, sources: list[File], minor: Minor) -> File:
    """A file that `make refusals-tools` made with sources in this order. Raises `binaries.Missing`."""
    modules = HERE.parent / "control_plane" / f"tools-{minor}"
    read = [*sources, modules / "go.mod", modules / "go.sum"]
    digest = hashlib.sha256(b"".join(one.read_bytes() for one in read)).hexdigest()[:12]
    version = binaries.version("kube-apiserver", minor)
    found = binaries.cache() / f"{name}-{version}-{digest}" / file
    if not found.exists():
        raise binaries.Missing(f"{name} {version} is not built; to build it: make refusals-tools")
    return found


def kinds(minor: Minor = NEWEST) -> list[Kind]:
    """The kinds that a server of a minor serves by default."""
    return [msgspec.json.decode(line, type=Kind) for line in _lines(minor, "", "-kinds")]


def judge(objects: Iterable[Object | str], minor: Minor = NEWEST) -> list[Verdict]:
    """What a server of a minor answers to the create of each object, or of each text in JSON.

    A text may say what an object cannot: a key twice.
    """
    values = list(objects)
    texts = [one if isinstance(one, str) else json.dumps(one) for one in values]
    verdicts = [msgspec.json.decode(line, type=Verdict) for line in _lines(minor, "\n".join(texts))]
    assert len(verdicts) == len(values)
    return [
        Verdict(tuple(_placed(verdict.errors, value)), verdict.warnings)
        for verdict, value in zip(verdicts, values, strict=True)
    ]


def _placed(errors: tuple[Said, ...], value: Object | str) -> Iterator[Said]:
    if errors and isinstance(value, str):
        value = json.loads(value)
    for said in errors:
        # What the decoder does not know, or knows twice, it names as it stands there.
        strange = said.type in ("UnknownField", "DuplicateField")
        field = said.field if strange else meant(said.field, said.message, value)
        yield msgspec.structs.replace(said, path=path_of(field, value))


def _lines(minor: Minor, text: str, *options: str) -> list[bytes]:
    command = [str(program(minor)), *options]
    done = subprocess.run(command, input=text.encode(), capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.splitlines()
