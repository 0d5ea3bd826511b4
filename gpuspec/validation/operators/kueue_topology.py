"""The topology of a job's pods, as annotations of Kueue request it.

Source: sigs.k8s.io/kueue v0.19.2, pkg/controller/jobframework/tas_validation.go. The table of keys
has the checks of numbers, and of annotations that exclude or need each other.
"""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from gpuspec.manifests.names import label_key
from gpuspec.numbers import is_digits, read_signed
from gpuspec.validation.apiserver.reading import refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.validation.bundle import Kind
    from gpuspec.validation.operators.kueue_pods import PodSet
    from gpuspec.validation.violation import SchemaViolation

_PODS = "kueue.x-k8s.io/podset-"
_REQUIRED, _PREFERRED = f"{_PODS}required-topology", f"{_PODS}preferred-topology"
_SLICE, _SIZE = f"{_PODS}slice-required-topology", f"{_PODS}slice-size"
_LAYERS = f"{_PODS}slice-required-topology-constraints"
_GROUP = f"{_PODS}group-name"
_JOB: Kind = ("batch/v1", "Job")
_UNGROUPED = {("v1", "Pod"), _JOB, ("trainer.kubeflow.org/v1alpha1", "TrainJob")}
"""Kinds whose groups of pod sets Kueue does not check, in addition to the training operator's."""
_MOST_LAYERS, _GROUP_SIZE = 3, 2
_LEVEL = "expected the name of a node label"


def faults(kind: Kind, sets: list[PodSet], is_elastic: bool) -> Iterator[SchemaViolation]:
    """Yield Kueue's violations of the topology that a job's pods request."""
    for pod_set in sets:
        path = (*pod_set.path, "annotations")
        yield from _levels(pod_set.asked, path)
        yield from _slices(pod_set.asked, path, pod_set.count)
        if _LAYERS in pod_set.asked:
            yield from _constraints(pod_set.asked, path, pod_set.count)
        if kind == _JOB and is_elastic:
            for key in (_REQUIRED, _PREFERRED):
                if key in pod_set.asked:
                    yield refused((*path, key), "it excludes `kueue.x-k8s.io/elastic-job`")
    if kind not in _UNGROUPED and kind[0] != "kubeflow.org/v1":
        yield from _groups(sets)


def _levels(annotations: dict[str, str], path: Path) -> Iterator[SchemaViolation]:
    for key in (_REQUIRED, _PREFERRED, _SLICE):
        if key in annotations and label_key(annotations[key]) is not None:
            yield refused((*path, key), _LEVEL)
    if is_digits(annotations.get(_GROUP, "")):
        yield refused((*path, _GROUP), "a group's name cannot be a number")


def _slices(
    annotations: dict[str, str], path: Path, count: int | None
) -> Iterator[SchemaViolation]:
    size = read_signed(annotations.get(_SIZE, ""))
    if size is not None and count is not None and size > max(count, 0):
        yield refused((*path, _SIZE), _too_large(count, size))


def _constraints(
    annotations: dict[str, str], path: Path, count: int | None
) -> Iterator[SchemaViolation]:
    """Check nested slices: from the largest to the smallest, each a divisor of the one before."""
    path = (*path, _LAYERS)
    for other_key in (_SLICE, _SIZE, _GROUP):
        if other_key in annotations:
            yield refused(path, f"it excludes `{other_key}`")
            return
    layers = _read(annotations[_LAYERS])
    if layers is None:
        return
    if not 1 <= len(layers) <= _MOST_LAYERS:
        yield refused(path, f"expected 1 to {_MOST_LAYERS} levels, not {len(layers)}")
        return
    if (fault := next(_layers(layers, count), None)) is not None:
        yield refused(path, fault)


def _layers(layers: list[Any], count: int | None) -> Iterator[str]:
    for layer in layers:
        level, size = (
            (layer.get("topology"), layer.get("size")) if isinstance(layer, dict) else ("", 0)
        )
        if not isinstance(level, str) or label_key(level) is not None:
            yield f"{_LEVEL} as `topology` of each level"
        if type(size) is not int or size < 1:
            yield "expected a whole number of at least 1 as `size` of each level"
            return
    names = [layer.get("topology") for layer in layers]
    if len(set(names)) < len(names):
        yield "one level is in the list twice"
    for outer, part in pairwise(layer["size"] for layer in layers):
        if outer % part:
            yield f"slices of {part} do not divide those of {outer}"
    if count is not None and layers[0]["size"] > count:
        yield _too_large(count, layers[0]["size"])


def _read(text: str) -> list[Any] | None:
    """Return the list in a text; None for other texts."""
    try:
        constraints = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return constraints if isinstance(constraints, list) else None


def _too_large(count: int, size: int) -> str:
    return f"a slice of {size} pods is larger than the pod set of {max(count, 0)}"


def _groups(sets: list[PodSet]) -> Iterator[SchemaViolation]:
    """Check two pod sets in one domain: one of them is a single pod, and both request the same
    level."""
    groups: dict[str, list[PodSet]] = {}
    for pod_set in sets:
        if _GROUP in pod_set.asked and (_REQUIRED in pod_set.asked or _PREFERRED in pod_set.asked):
            groups.setdefault(pod_set.asked[_GROUP], []).append(pod_set)
    for name, members in groups.items():
        path = (*members[-1].path, "annotations", _GROUP)
        if len(members) != _GROUP_SIZE:
            yield refused(
                path, f"a group needs {_GROUP_SIZE} pod sets, but `{name}` has {len(members)}"
            )
            continue
        counts = [member.count for member in members]
        if None not in counts and 1 not in counts:
            yield refused(path, "one of a group's pod sets must be a single pod")
        first, second = map(_level, members)
        if first != second:
            yield refused(path, f"both pod sets of `{name}` must request the same level")


def _level(pod_set: PodSet) -> tuple[str, str]:
    key = _REQUIRED if _REQUIRED in pod_set.asked else _PREFERRED
    return key, pod_set.asked[key]
