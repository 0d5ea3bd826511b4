"""A rule of Node Feature Discovery that matches no PCI device: its label is never set."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU794",
    "pci-attribute",
    "warning",
    "A Node Feature Discovery rule matches a PCI vendor or class that does not exist",
)
_ID = re.compile("[0-9a-f]{4}")
# Makers of accelerators and of their networks, and what their devices are: of the table of PCI ids.
_VENDORS = frozenset(("1002", "10de", "14e4", "15b3", "177d", "1d0f", "1da3", "1e52", "8086"))
_CLASSES = frozenset(("0200", "0207", "0300", "0302", "0380", "0b40", "1200"))
_OTHERS = {"vendor": (_CLASSES, "class"), "class": (_VENDORS, "vendor")}


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield conditions on PCI devices that list values, none of which can be."""
    for condition, path in _conditions(obj):
        if condition.get("feature") != "pci.device":
            continue
        for name, (others, other_attribute) in _OTHERS.items():
            expression = mapping(mapping(condition.get("matchExpressions")).get(name))
            values = [text(value) for value in items(expression.get("value"))]
            if expression.get("op") != "In" or not values or not all(values):
                continue
            place = (*path, "matchExpressions", name, "value")
            if all(value in others for value in values):
                yield RawFinding(
                    place,
                    f"`{values[0]}` is a {other_attribute}, not a {name}: no PCI device matches, and no node "
                    "gets the rule's labels",
                    note=f"write the value under `{other_attribute}`",
                )
            elif not any(map(_ID.fullmatch, values)):
                yield RawFinding(
                    place,
                    f"no PCI device has the {name} `{values[0]}`: Node Feature Discovery compares "
                    "text of four hexadecimal digits in lower case",
                    note="write `10de` for NVIDIA, `1002` for AMD, or `8086` for Intel"
                    if name == "vendor"
                    else "write `0300`, `0302` or `0380` for GPUs",
                )


def _conditions(obj: Object) -> Iterator[tuple[dict[str, object], Path]]:
    """Yield the conditions of the rules on a feature: `matchFeatures`, or any of several such
    lists."""
    for at, rule in enumerate(map(mapping, items(obj.spec.get("rules")))):
        base = obj.path("spec", "rules", at)
        yield from _listed(rule, base)
        for index, way in enumerate(map(mapping, items(rule.get("matchAny")))):
            yield from _listed(way, (*base, "matchAny", index))


def _listed(holder: dict[str, object], base: Path) -> Iterator[tuple[dict[str, object], Path]]:
    for index, condition in enumerate(map(mapping, items(holder.get("matchFeatures")))):
        yield condition, (*base, "matchFeatures", index)
