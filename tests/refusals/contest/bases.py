"""What mutants are made from: a clean object of every kind, what our own examples render, and what
people wrote."""

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml

from tests.refusals.judge import Object

ROOT = Path(__file__).parents[3]
FULL = ROOT / "tests" / "refusals" / "bases"
RENDERED = ROOT / "examples" / "rendered"
FIELD = ROOT / "tests" / "field"
FAULTY = frozenset(
    {
        "inputs/A05.yaml HorizontalPodAutoscaler/zero",
        "inputs/B12.yaml Deployment/chat",
        "inputs/B13.yaml Deployment/chat",
        "inputs/RE02.yaml Deployment/worker",
        "inputs/RE06.yaml DaemonSet/exporter",
        "inputs/SC01.yaml Pod/req-only",
        "inputs/SC02.yaml Pod/neq",
        "inputs/SC03.yaml Pod/half",
        "inputs/SC05.yaml Pod/dot",
        "inputs/SC06.yaml StatefulSet/media",
    }
)
"""What a server refuses of the cases from the field: that is their fault, and no mutant has but one."""


class Base(NamedTuple):
    """An object that a server takes."""

    name: str
    value: Object

    @property
    def kind(self) -> tuple[str, str]:
        return self.value["apiVersion"], self.value["kind"]

    @property
    def row(self) -> str:
        """Under what its mutants are counted."""
        return self.kind[1]


@cache
def full() -> tuple[Base, ...]:
    """One object of every kind with as many fields as there can be, or several."""
    return tuple(read(FULL, sorted(FULL.glob("*.yaml"))))


@cache
def rendered() -> tuple[Base, ...]:
    """What our examples render of kinds that a server has of itself, each once."""
    return _served_once(read(RENDERED, sorted(RENDERED.glob("**/*.yaml"))))


@cache
def field() -> tuple[Base, ...]:
    """What people wrote, with the mistakes that a server takes, and mended."""
    return tuple(one for one in written() if one.name not in FAULTY)


def written() -> tuple[Base, ...]:
    """What people wrote."""
    files = [file for part in ("inputs", "fixed") for file in sorted((FIELD / part).glob("*.yaml"))]
    return _served_once(read(FIELD, files))


def _served_once(bases: Iterable[Base]) -> tuple[Base, ...]:
    """Those of kinds that a server has of itself, each once."""
    served = {one.kind for one in full()}
    found: list[Base] = []
    for base in bases:
        if base.kind in served and all(base.value != one.value for one in found):
            found.append(base)
    return tuple(found)


def read(folder: Path, files: list[Path]) -> Iterator[Base]:
    """The objects of files, each with a name of its own."""
    for file in files:
        for value in _documents(file):
            if isinstance(value, dict) and "kind" in value:
                name = f"{file.relative_to(folder)} {value['kind']}/{value['metadata']['name']}"
                yield Base(name, value)


def _documents(file: Path) -> list[object]:
    """The documents of a file; none where it is no YAML, as people write it too."""
    try:
        return list(yaml.load_all(file.read_text(encoding="utf-8"), yaml.CSafeLoader))
    except yaml.YAMLError:
        return []
