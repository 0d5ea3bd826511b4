"""Find objects that are the same under another name."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gpuspec.diff.model import SideObject

ALIKE = 0.8
"""Share of values that two objects with different names must have in common."""
AKIN = 0.4
"""The lower share for names that are equal except for a suffix, or with a label that confirms
it."""
FEWEST = 4
"""The least values in common: two empty ServiceAccounts do not match."""
MOST_PAIRS = 40_000
"""Number of pairs above which only objects with one stem are compared."""
# gpuspec's and others' digests, and Kustomize's, whose letters spell no word.
_DIGEST = re.compile(r"-(?:[0-9a-f]{8,10}|[bcdfghkmt0-9]{10})$")
_RUN = re.compile(r"-v?[0-9][\w.-]*$")
_NAME_LABEL = "app.kubernetes.io/name"


def renamed(old: Sequence[SideObject], new: Sequence[SideObject]) -> list[tuple[int, int]]:
    """Return index pairs of objects of one kind that match under a new name, the best first."""
    before, after = [_Fingerprints(obj) for obj in old], [_Fingerprints(obj) for obj in new]
    few = len(before) * len(after) <= MOST_PAIRS
    scored: list[tuple[float, int, int]] = []
    for at, old_print in enumerate(before):
        for other_at, new_print in enumerate(after):
            kin = old_print.space == new_print.space and (
                old_print.stem == new_print.stem
                or bool(old_print.label and old_print.label == new_print.label)
            )
            if not (kin or few):
                continue
            score = _share(old_print.leaves, new_print.leaves)
            shared = score * max(old_print.size, new_print.size)
            if score >= (AKIN if kin else ALIKE) and (shared >= FEWEST or kin):
                scored.append((score + kin, at, other_at))
    return _best(scored)


def stem(name: str, kind: str) -> str:
    """Return a name without its digest, and of a Job without its run: `train-3f9a0c1b`,
    `train-2026-06-01`."""
    bare = _DIGEST.sub("", name)
    return _RUN.sub("", bare) if kind.endswith("Job") else bare


class _Fingerprints:
    def __init__(self, side_object: SideObject) -> None:
        metadata = side_object.value.get("metadata")
        metadata = metadata if isinstance(metadata, dict) else {}
        name = str(metadata.get("name") or metadata.get("generateName") or "")
        self.space = metadata.get("namespace")
        labels = metadata.get("labels")
        label = labels.get(_NAME_LABEL) if isinstance(labels, dict) else None
        component = labels.get("app.kubernetes.io/component") if isinstance(labels, dict) else None
        self.stem = stem(name, str(side_object.value.get("kind")))
        self.label = (str(label), str(component)) if label else None
        self.leaves = Counter(_leaves(_content(side_object.value), name))
        self.size = self.leaves.total()


def _content(value: dict[str, Any]) -> dict[str, Any]:
    """Return an object without its names and its origin."""
    metadata = value.get("metadata")
    labels = metadata.get("labels") if isinstance(metadata, dict) else None
    kept_metadata = {
        key: part
        for key, part in value.items()
        if key not in ("apiVersion", "kind", "metadata", "status")
    }
    return kept_metadata | {"labels": labels}


def _leaves(value: Any, name: str, path: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, name, f"{path}/{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, name, f"{path}/*")
    else:
        text = value.replace(name, "\0") if isinstance(value, str) and name else json.dumps(value)
        yield f"{path}={text}"


def _share(first: Counter[str], second: Counter[str]) -> float:
    total = (first | second).total()
    return (first & second).total() / total if total else 1.0


def _best(scored: list[tuple[float, int, int]]) -> list[tuple[int, int]]:
    """Return the best match of each object, every index once."""
    taken_old: set[int] = set()
    taken_new: set[int] = set()
    pairs: list[tuple[int, int]] = []
    for _, old, new in sorted(scored, key=lambda triple: (-triple[0], triple[1], triple[2])):
        if old not in taken_old and new not in taken_new:
            taken_old.add(old)
            taken_new.add(new)
            pairs.append((old, new))
    return pairs
