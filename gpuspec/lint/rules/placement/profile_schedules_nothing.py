"""A hardware profile of OpenShift AI whose selector and tolerations have no effect."""

from collections.abc import Iterator
from typing import Any

from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import mapping, text
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU795",
    "profile-schedules-nothing",
    "warning",
    "A hardware profile sets scheduling fields that it does not have or that its type excludes",
)
_VERSION = "infrastructure.opendatahub.io/v1"
_NEEDS = {"Queue": ("kueue", "node"), "Node": ("node", "kueue")}
"""By type, the field that it needs and the one that it excludes."""
_FIELDS = ("nodeSelector", "nodeSelectors", "tolerations")


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield fields that the older kind has at the top level, and those misplaced in `scheduling`."""
    if obj.value.get("apiVersion") != _VERSION:
        return
    scheduling = mapping(obj.spec.get("scheduling"))
    yield from _excluded(obj, scheduling)
    for holder, path in ((obj.spec, ("spec",)), (scheduling, ("spec", "scheduling"))):
        for name in _FIELDS:
            if not holder.get(name):
                continue
            queued = text(scheduling.get("type")) == "Queue"
            yield RawFinding(
                obj.path(*path, name),
                f"`{'.'.join((*path, name))}` is not a field of `HardwareProfile`: kubectl rejects the "
                "object, other clients drop the field silently, and workloads with the profile "
                "go to any node",
                note="remove the field: the ResourceFlavor of the queue selects the nodes"
                if queued
                else "move it to `spec.scheduling.node`, next to `type: Node`",
            )


def _excluded(obj: Object, scheduling: dict[str, Any]) -> Iterator[RawFinding]:
    """Yield violations of the definition's two rules for `type`."""
    kind = text(scheduling.get("type"))
    if kind not in _NEEDS:
        return
    needs, bars = _NEEDS[kind]
    if bars in scheduling:
        yield RawFinding(
            obj.path("spec", "scheduling", bars),
            f"`type: {kind}` does not allow `{bars}`: the API server rejects the object",
            note="remove the field: the ResourceFlavor of the queue selects the nodes"
            if kind == "Queue"
            else None,
        )
    if needs not in scheduling:
        yield RawFinding(
            obj.path("spec", "scheduling", "type"),
            f"`type: {kind}` needs `{needs}`: the API server rejects the object",
            note=f"set `{needs}`",
        )
