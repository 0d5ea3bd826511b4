"""A variable or a port that a container has twice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gpuspec.lint.analysis.reading.kustomizations import is_own
from gpuspec.lint.context import Context
from gpuspec.lint.model import Drop, Fix, RawFinding, Rule
from gpuspec.manifests.values import items
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod

if TYPE_CHECKING:
    from gpuspec.manifests import Path

RULE = Rule(
    "GPU770",
    "set-twice",
    "warning",
    "A container sets a variable or port twice",
    fix="safe",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield entries of `env` and `ports` with the keys by which a server tells them apart."""
    if is_own(pod.object.group):
        then = "server-side apply, which Flux and Helm 4 use, rejects the object"
    else:
        then = f"an API server whose definition of `{pod.object.kind}` keys the list rejects it"
    for container in pod.every:
        for path, entry, before in _again(container, "env"):
            name = entry["name"]
            yield RawFinding(
                (*path, "name"),
                f"`{name}` is set twice: {then}, and elsewhere the last value wins",
                note=_difference(entry, before),
                fix=_without(path, entry, before),
            )
        for path, entry, _ in _again(container, "ports"):
            yield RawFinding(
                (*path, "containerPort"),
                f"port {entry['containerPort']} is listed twice: {then}, and an update of either "
                "entry may lose the other",
                note="remove the second port",
            )


def _again(
    container: PodContainer, field: str
) -> Iterator[tuple[Path, dict[str, Any], dict[str, Any]]]:
    """Yield each entry whose key was there before: its path, itself, and the one before."""
    met: dict[object, dict[str, Any]] = {}
    for index, entry in enumerate(items(container.value.get(field))):
        key = _key(entry, field)
        if key is None:
            continue
        if key in met:
            yield container.path(field, index), entry, met[key]
        met[key] = entry


def _key(entry: object, field: str) -> object:
    if not isinstance(entry, dict):
        return None
    if field == "env":
        name = entry.get("name")
        return name if isinstance(name, str) and "{{" not in name and "$" not in name else None
    port, protocol = entry.get("containerPort"), entry.get("protocol") or "TCP"
    return (port, protocol) if isinstance(port, int) and isinstance(protocol, str) else None


def _difference(entry: dict[str, Any], before: dict[str, Any]) -> str | None:
    new, old = entry.get("value"), before.get("value")
    if new == old or not isinstance(new, str) or not isinstance(old, str):
        return None
    if "TOKEN" in entry["name"] or "KEY" in entry["name"] or "PASSWORD" in entry["name"]:
        return "the two values differ"
    return f"first `{old}`, then `{new}`"


def _without(path: Path, entry: dict[str, Any], before: dict[str, Any]) -> Fix | None:
    """Return a fix that removes the later one if both are equal; if they differ, one of them is
    a mistake."""
    if entry == before and "$(" not in str(entry.get("value")):
        return Fix("remove the second", (Drop(path),), safe=True)
    return None
