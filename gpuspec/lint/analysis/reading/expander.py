"""The priorities of Cluster Autoscaler's expander, in the only ConfigMap that it reads.

Source: kubernetes/autoscaler at 137161c0 cluster-autoscaler/expander/priority/priority.go.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gpuspec.lint.model import RawFinding
from gpuspec.manifests import InputError, read
from gpuspec.manifests.values import mapping
from gpuspec.numbers import read_signed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gpuspec.objects.objects import Object

NAME = "cluster-autoscaler-priority-expander"
_KEY = "priorities"
_IN_GO_TOO = ("nothing to repeat", "missing )", "unbalanced", "unterminated character set")
_IGNORED = "Cluster Autoscaler ignores the priorities and selects node groups at random"
_FORM = (
    "write a number as key, and below it a list of regular expressions for the names of node groups"
)


def faults(obj: Object) -> Iterator[RawFinding]:
    """Yield what Cluster Autoscaler cannot use of a ConfigMap with priorities."""
    data = mapping(obj.value.get("data"))
    if obj.name != NAME:
        if obj.name.startswith(NAME) and isinstance(data.get(_KEY), str):
            yield RawFinding(
                obj.path("metadata", "name"),
                f"Cluster Autoscaler reads only the ConfigMap `{NAME}`, not `{obj.name}`: it "
                "selects node groups at random",
                note="set `disableNameSuffixHash: true` for a ConfigMap of a Kustomize generator",
                severity="warning",
                confidence="likely",
            )
    elif _KEY not in data:
        if data:
            yield RawFinding(
                obj.path("data"),
                f"the ConfigMap has no key `{_KEY}`, and no other key is read: {_IGNORED}",
                severity="warning",
            )
    elif isinstance(data[_KEY], str):
        yield from _written(obj, data[_KEY])


def _written(obj: Object, text: str) -> Iterator[RawFinding]:
    path = obj.path("data", _KEY)
    try:
        documents = read(text, "priorities.yaml")
    except (InputError, ValueError):
        yield _wrong(obj, f"`{_KEY}` is not valid YAML", None)
        return
    priorities = documents[0].value if documents else None
    if not isinstance(priorities, dict):
        yield _wrong(obj, f"`{_KEY}` is not a map", None)
        return
    for key, patterns in priorities.items():
        if read_signed(str(key)) is None:
            yield RawFinding(
                path,
                f"the priority `{key}` is not a whole number: {_IGNORED}",
                note=_FORM,
                key=True,
                severity="warning",
                inside=(key,),
            )
        elif not isinstance(patterns, list):
            yield _wrong(obj, f"the priority {key} has no list", (key,))
        else:
            yield from _patterns(obj, key, patterns)


def _patterns(obj: Object, key: Any, patterns: list[Any]) -> Iterator[RawFinding]:
    for index, pattern in enumerate(patterns):
        try:
            re.compile(str(pattern))
        except re.error as error:
            # Go knows some words that Python does not.
            if not error.msg.startswith(_IN_GO_TOO):
                continue
            yield _wrong(obj, f"`{pattern}` is not a valid regular expression", (key, index))


def _wrong(obj: Object, says: str, inside: tuple[str | int, ...] | None) -> RawFinding:
    return RawFinding(
        obj.path("data", _KEY),
        f"{says}: {_IGNORED}",
        note=_FORM,
        severity="warning",
        inside=inside,
    )
