"""The ConfigMaps and Secrets that a pod names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from gpuspec.manifests import Path
from gpuspec.manifests.values import at, items, mapping

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.objects.objects import Pod


class Reference(msgspec.Struct, frozen=True):
    """One name of another object, in a pod."""

    kind: Literal["ConfigMap", "Secret"]
    name: str
    path: Path


_VOLUMES: tuple[tuple[Literal["ConfigMap", "Secret"], Path], ...] = (
    ("ConfigMap", ("configMap", "name")),
    ("Secret", ("secret", "secretName")),
)
_PROJECTED: tuple[tuple[Literal["ConfigMap", "Secret"], Path], ...] = (
    ("ConfigMap", ("configMap", "name")),
    ("Secret", ("secret", "name")),
)
_ENV: tuple[tuple[Literal["ConfigMap", "Secret"], Path], ...] = (
    ("ConfigMap", ("valueFrom", "configMapKeyRef", "name")),
    ("Secret", ("valueFrom", "secretKeyRef", "name")),
)
_ENV_FROM: tuple[tuple[Literal["ConfigMap", "Secret"], Path], ...] = (
    ("ConfigMap", ("configMapRef", "name")),
    ("Secret", ("secretRef", "name")),
)


def references(pod: Pod) -> Iterator[Reference]:
    """What a pod cannot start without: optional ones are left out."""
    for index, volume in enumerate(items(pod.spec.get("volumes"))):
        yield from _named(volume, pod.path("volumes", index), _VOLUMES)
        sources = items(mapping(mapping(volume).get("projected")).get("sources"))
        for number, source in enumerate(sources):
            path = pod.path("volumes", index, "projected", "sources", number)
            yield from _named(source, path, _PROJECTED)
    for one in pod.every:
        for index, entry in enumerate(items(one.value.get("env"))):
            yield from _named(entry, one.path("env", index), _ENV)
        for index, entry in enumerate(items(one.value.get("envFrom"))):
            yield from _named(entry, one.path("envFrom", index), _ENV_FROM)


def _named(
    holder: object, path: Path, places: tuple[tuple[Literal["ConfigMap", "Secret"], Path], ...]
) -> Iterator[Reference]:
    for kind, place in places:
        name = at(holder, place)
        if isinstance(name, str) and name and at(holder, (*place[:-1], "optional")) is not True:
            yield Reference(kind, name, (*path, *place))
