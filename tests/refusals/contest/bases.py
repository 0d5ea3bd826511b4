"""What mutants are made from: a clean object of every kind, and what our own examples render."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml

from tests.refusals.judge import Object

ROOT = Path(__file__).parents[3]
FULL = ROOT / "tests" / "refusals" / "bases"
RENDERED = ROOT / "examples" / "rendered"


class Base(NamedTuple):
    """An object that a server takes."""

    name: str
    value: Object

    @property
    def kind(self) -> tuple[str, str]:
        return self.value["apiVersion"], self.value["kind"]


@cache
def full() -> tuple[Base, ...]:
    """One object of every kind with as many fields as there can be, or several."""
    return tuple(read(FULL, sorted(FULL.glob("*.yaml"))))


@cache
def rendered() -> tuple[Base, ...]:
    """What our examples render of kinds that a server has of itself, each once."""
    served = {one.kind for one in full()}
    found: list[Base] = []
    for base in read(RENDERED, sorted(RENDERED.glob("**/*.yaml"))):
        if base.kind in served and all(base.value != one.value for one in found):
            found.append(base)
    return tuple(found)


def read(folder: Path, files: list[Path]) -> Iterator[Base]:
    """The objects of files, each with a name of its own."""
    for file in files:
        text = file.read_text(encoding="utf-8")
        for value in yaml.load_all(text, yaml.CSafeLoader):
            if isinstance(value, dict) and "kind" in value:
                name = f"{file.relative_to(folder)} {value['kind']}/{value['metadata']['name']}"
                yield Base(name, value)
