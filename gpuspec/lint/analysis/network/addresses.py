"""Addresses that a pod is given, and the Services of the set that they mean."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from gpuspec.manifests import Path
from gpuspec.numbers import read_whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object, Pod

_LONGEST = 2000
_ADDRESS = re.compile(
    r"(?:(?P<scheme>[a-z]{2,8})://|(?<![^=,\s'\"]))"
    r"(?P<host>[a-z][-.a-z0-9]{0,252})(?::(?P<port>[0-9]{1,5}))?(?![^/,\s'\"])"
)
_PORTS = {"http": 80, "https": 443}


class Address(msgspec.Struct, frozen=True):
    """An address that a pod is given."""

    scheme: str
    """Empty where none is written."""
    host: str
    port: int | None
    """The scheme's where none is written."""
    text: str
    path: Path


def addresses(pod: Pod) -> Iterator[Address]:
    """Yield the addresses in the variables and arguments of a pod's containers."""
    for text, path in _texts(pod):
        for match in _ADDRESS.finditer(text[:_LONGEST]):
            scheme = match["scheme"] or ""
            port = read_whole(match["port"]) if match["port"] else _PORTS.get(scheme)
            yield Address(scheme, match["host"], port, match[0], path)


def services_at(host: str, pod: Pod, collection: Collection) -> list[Object]:
    """Return the Services that a host means: `name`, `name.namespace`, `name.namespace.svc` and so
    on."""
    name, _, rest = host.partition(".")
    namespace, _, rest = rest.partition(".")
    if rest and rest.split(".")[0] != "svc":
        return []
    target = namespace or pod.object.namespace
    services = collection.all_named("", "Service", name, target)
    # A file that names no namespace is applied where its user says.
    return [service for service in services if service.namespace == target]


def service_at(host: str, pod: Pod, collection: Collection) -> Object | None:
    """Return the first Service that a host means."""
    return next(iter(services_at(host, pod, collection)), None)


def _texts(pod: Pod) -> Iterator[tuple[str, Path]]:
    """Yield what its containers are told, and where."""
    for container in pod.every:
        for name in container.env:
            yield container.env_value(name) or "", (*container.env_path(name), "value")
        for word in container.words:
            yield word.text, word.path
