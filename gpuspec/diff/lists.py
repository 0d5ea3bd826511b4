"""Match the items of two lists.

Merge keys are those of the Kubernetes API (`patchMergeKey`, `x-kubernetes-list-map-keys`) and of
the shipped CRDs; without a merge key, equal items match.
"""

from __future__ import annotations

import json
from typing import Any

from gpuspec.diff.command_line import by_flag
from gpuspec.diff.steps import Pick, Step
from gpuspec.diff.values import ABSENT

Keys = tuple[str, ...]
Pair = tuple[Step, Any, Any]
Moved = tuple[list[str], list[str]]
"""The names of items that both lists have, in the order of each list."""

_NAME: tuple[Keys, ...] = (("name",),)
KEYS: dict[str, tuple[Keys, ...]] = {
    "containers": _NAME,
    "initContainers": _NAME,
    "ephemeralContainers": _NAME,
    "env": _NAME,
    "volumes": _NAME,
    "volumeMounts": (("mountPath",),),
    "volumeDevices": (("devicePath",),),
    "ports": (("name",), ("containerPort", "protocol"), ("port", "protocol")),
    "tolerations": (("key", "effect"), ("key", "operator", "value", "effect")),
    "topologySpreadConstraints": (("topologyKey", "whenUnsatisfiable"),),
    "imagePullSecrets": _NAME,
    "secrets": _NAME,
    "hostAliases": (("ip",),),
    "resourceClaims": _NAME,
    "claims": _NAME,
    "schedulingGates": _NAME,
    "matchExpressions": (("key", "operator"), ("key",)),
    "volumeClaimTemplates": (("metadata.name",),),
    "taints": (("key", "effect"),),
    "subjects": (("name", "namespace", "kind"),),
    "replicatedJobs": _NAME,
    "workerGroupSpecs": (("groupName",),),
    "tasks": _NAME,
}
"""The fields that identify an item, by the list's field: the first one with unique values
counts."""
IN_ORDER = {"initContainers", "command", "args", "rules", "levels", "replicatedJobs", "steps"}
"""Lists whose order has a meaning, with or without keys."""
SETS = {
    *("add", "drop", "accessModes", "finalizers", "values", "verbs", "apiGroups", "resources"),
    *("resourceNames", "policyTypes", "supplementalGroups", "scopes", "mountOptions"),
    *("envFrom", "tolerations", "nodeSelectorTerms", "namespaces"),
    "preferredDuringSchedulingIgnoredDuringExecution",
    "requiredDuringSchedulingIgnoredDuringExecution",
}
"""Lists without a key whose order has no meaning."""


def aligned(name: str, old: list[Any], new: list[Any]) -> tuple[list[Pair], Moved | None]:
    """Return matching items, in the new order, and their order if it changed and has a meaning."""
    for keys in KEYS.get(name, _NAME):
        before, after = _named(old, keys), _named(new, keys)
        if before is not None and after is not None and (before or after):
            return _by_key(name, keys, before, after)
    if name in SETS:
        return _as_sets(old, new), None
    if name in ("args", "command") and (flag_pairs := by_flag(old, new)) is not None:
        return flag_pairs
    return _in_order(old, new), None


def _by_key(
    name: str, keys: Keys, old: dict[Keys, Any], new: dict[Keys, Any]
) -> tuple[list[Pair], Moved | None]:
    every = [*new, *(key for key in old if key not in new)]
    pairs: list[Pair] = [
        (Pick(_text(keys, key)), old.get(key, ABSENT), new.get(key, ABSENT)) for key in every
    ]
    before = [_text(keys, key) for key in old if key in new]
    after = [_text(keys, key) for key in new if key in old]
    if before == after or not _means_order(name, new):
        return pairs, None
    return pairs, (before, after)


def _means_order(name: str, items: dict[Keys, Any]) -> bool:
    """Return whether the order of a list with keys has a meaning."""
    if name == "env":
        # A variable may be made from those that stand before it.
        return "$(" in json.dumps(list(items.values()), default=str)
    # Of a list that nobody described it may.
    return name in IN_ORDER or name not in KEYS


def _text(keys: Keys, values: Keys) -> str:
    keyed_values = zip(keys, values, strict=True)
    return ",".join(f"{key.rpartition('.')[2]}={value}" for key, value in keyed_values if value)


def _named(items: list[Any], keys: Keys) -> dict[Keys, Any] | None:
    """Return items by their keys; None if the keys are not unique."""
    by_key: dict[Keys, Any] = {}
    for item in items:
        values = tuple(_field(item, key) for key in keys)
        if not values[0] or values in by_key:
            return None
        by_key[values] = item
    return by_key


def _field(item: Any, key: str) -> str:
    for step in key.split("."):
        item = item.get(step) if isinstance(item, dict) else None
    # A list or a map names nothing.
    return "" if item is None or isinstance(item, dict | list) else str(item)


def _as_sets(old: list[Any], new: list[Any]) -> list[Pair]:
    """Return equal items as pairs, then the others in their order."""
    rest = [*new]
    gone: list[Any] = []
    texts = [_canonical(item) for item in rest]
    for item in old:
        if (text := _canonical(item)) in texts:
            at = texts.index(text)
            del texts[at], rest[at]
        else:
            gone.append(item)
    if all(isinstance(item, dict) for item in (*gone, *rest)):
        return _beside(gone, rest, 0)
    removed = [(Pick(_item(item)), item, ABSENT) for item in gone]
    return [*removed, *((Pick(_item(item)), ABSENT, item) for item in rest)]


def _in_order(old: list[Any], new: list[Any]) -> list[Pair]:
    from difflib import SequenceMatcher

    before, after = ([_canonical(item) for item in side] for side in (old, new))
    pairs: list[Pair] = []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for kind, start, end, first, last in matcher.get_opcodes():
        if kind != "equal":
            pairs += _beside(old[start:end], new[first:last], first)
    return pairs


def _beside(old: list[Any], new: list[Any], first: int) -> list[Pair]:
    """Return items paired by position; surplus items have no partner."""
    most = max(len(old), len(new))
    lost = [ABSENT] * most
    return [
        (Pick(str(first + n)), old_item, new_item)
        for n, (old_item, new_item) in enumerate(
            zip([*old, *lost][:most], [*new, *lost][:most], strict=True)
        )
    ]


def _item(item: Any) -> str:
    return item if isinstance(item, str) else _canonical(item)


def _canonical(item: Any) -> str:
    return json.dumps(item, sort_keys=True, ensure_ascii=False, default=str)
