"""A LimitRange whose default memory limit is too small for building the GPU driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.charts.release import releases
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests import Quantity
from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.objects.containers import quantity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.context import Context
    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU779",
    "default-too-small",
    "warning",
    "A LimitRange gives the driver container less memory than its build needs",
)
_LEAST = 2 << 30
"""Bytes below which kernel modules are not built; the build takes more with each processor."""
_RELEASES = (("argoproj.io", "Application"), ("helm.toolkit.fluxcd.io", "HelmRelease"))


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield the defaults of a namespace against the GPU Operator that is installed there."""
    if not obj.is_a("", "LimitRange") or not obj.namespace:
        return
    for index, row in enumerate(map(mapping, items(obj.spec.get("limits")))):
        memory = quantity(mapping(row.get("default")).get("memory"))
        if row.get("type") != "Container" or memory is None or memory.value >= _LEAST:
            continue
        for brings, path in _drivers(obj.namespace, context):
            yield RawFinding(
                obj.path("spec", "limits", index, "default", "memory"),
                f"the driver container of Helm release `{brings.name}` sets no memory limit and gets "
                f"{memory}, but building its kernel modules needs {Quantity.of_bytes(_LEAST)} or "
                "more: the container is killed repeatedly with exit code 137, and no node gets "
                "its driver",
                note="set `driver.resources`, raise the LimitRange's default, or use a precompiled "
                "driver (`driver.usePrecompiled`)",
                confidence="likely",
                related=(RelatedPlace(brings.number, path, "which gets this limit"),),
            )
            return


def _drivers(namespace: str, context: Context) -> Iterator[tuple[Object, Path]]:
    """Yield releases of the GPU Operator in a namespace whose driver is built on the node, and has
    no limit."""
    for group, kind in _RELEASES:
        for obj in context.collection.of(group, kind):
            for release in releases(obj) if _namespace(obj) == namespace else ():
                driver = mapping(release.values.get("driver"))
                if release.chart != "gpu-operator" or not release.whole:
                    continue
                if driver.get("enabled") is False or driver.get("usePrecompiled") is True:
                    continue
                if at(driver, ("resources", "limits", "memory")) is None:
                    yield obj, release.place("driver")[0]


def _namespace(obj: Object) -> str:
    """Return the namespace of a release's pods."""
    namespace = text(at(obj.spec, ("destination", "namespace"))) or text(
        obj.spec.get("targetNamespace")
    )
    return namespace or obj.namespace
