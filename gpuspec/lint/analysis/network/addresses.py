"""Addresses that objects state, and the Services of the set that they mean."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from gpuspec.kinds import values_at
from gpuspec.manifests import Path
from gpuspec.manifests.values import items, mapping
from gpuspec.numbers import read_whole
from gpuspec.objects.lazy import kept

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object, Pod

_LONGEST = 2000
_HOST = r"(?P<host>[a-z][-.a-z0-9]{0,252})(?::(?P<port>[0-9]{1,5}))?"
_ADDRESS = re.compile(rf"(?:(?P<scheme>[a-z]{{2,8}})://|(?<![^=,\s'\"])){_HOST}(?![^/,\s'\"])")
PORTS = {"http": 80, "https": 443}
"""The default port of each scheme."""
_LONGEST_FILE = 100_000
_IN_FILE = re.compile(rf"(?P<scheme>[a-z]{{2,8}})://{_HOST}(?![-.\w:@{{$<])")
"""An address in a file, whose other words are no hosts."""
_STATE = ("apiVersion", "kind", "metadata", "status")
_CHARTS = ("Application", "ApplicationSet", "CustomResourceDefinition", "HelmRelease")
"""Kinds with text that is for other objects than the kind's own."""


_ISTIO = "networking.istio.io"
_HOSTS = {
    "DestinationRule": ("host",),
    "VirtualService": (
        *(f"{kind}.*.route.*.destination.host" for kind in ("http", "tls", "tcp")),
        "http.*.mirror.host",
        "http.*.mirrors.*.destination.host",
    ),
}
"""Fields of Istio's kinds with the host of a Service: istio.io, reference, DestinationRule and
VirtualService.
"""
_NAME = re.compile(r"[a-z][-.a-z0-9]{0,252}")


class Address(msgspec.Struct, frozen=True):
    """An address and its path."""

    scheme: str
    """The scheme; empty if not written."""
    host: str
    port: int | None
    """The port; by default that of the scheme."""
    text: str
    path: Path
    is_host: bool = False
    """Whether the field can have nothing but a host."""

    @property
    def is_plain(self) -> bool:
        """Whether the text is an address for certain, and no word that could be one."""
        return self.is_host or bool(self.scheme) or self.port is not None or ".svc" in self.host


@kept
def addresses(pod: Pod) -> tuple[Address, ...]:
    """Return the addresses in the variables, arguments and probes of a pod's containers."""
    return tuple(
        address for text, path in _texts(pod) for address in _found(_ADDRESS, text[:_LONGEST], path)
    )


def addresses_of(obj: Object) -> Iterator[Address]:
    """Yield the addresses of an object: those of its pods, or else those in any of its texts."""
    if obj.has_pods:
        for pod in obj.pods:
            yield from addresses(pod)
    elif obj.group == _ISTIO:
        yield from _hosts(obj)
    elif obj.kind not in _CHARTS:
        for key, value in obj.value.items():
            if key not in _STATE:
                for text, path in _in_value(value, obj.path(key)):
                    if "://" in text:
                        plain = "\n".join(map(_without_comment, text[:_LONGEST_FILE].splitlines()))
                        yield from _found(_IN_FILE, plain, path)


def _hosts(obj: Object) -> Iterator[Address]:
    """Yield the hosts to which an object of Istio sends requests, or of which it sets the
    policy."""
    for pattern in _HOSTS.get(obj.kind, ()):
        for path, host in values_at(obj.spec, (pattern,)):
            if isinstance(host, str) and _NAME.fullmatch(host):
                yield Address("", host, None, host, obj.path("spec", *path), is_host=True)


def services_at(host: str, pod: Pod, collection: Collection) -> list[Object]:
    """Return the Services that a host means: `name`, `name.namespace`, `name.namespace.svc` and so
    on."""
    name, namespace = service_name(host)
    if not name:
        return []
    target = namespace or pod.object.namespace
    services = collection.all_named("", "Service", name, target)
    # A file that names no namespace is applied where its user says.
    return [service for service in services if service.namespace == target]


def service_name(host: str) -> tuple[str, str]:
    """Return the name and the namespace of a Service from a host; nothing for another host."""
    name, _, rest = host.partition(".")
    namespace, _, rest = rest.partition(".")
    return ("", "") if rest and rest.split(".")[0] != "svc" else (name, namespace)


def service_at(host: str, pod: Pod, collection: Collection) -> Object | None:
    """Return the first Service that a host means."""
    return next(iter(services_at(host, pod, collection)), None)


def _found(pattern: re.Pattern[str], text: str, path: Path) -> Iterator[Address]:
    for match in pattern.finditer(text):
        scheme = match["scheme"] or ""
        port = read_whole(match["port"]) if match["port"] else PORTS.get(scheme)
        yield Address(scheme, match["host"], port, match[0], path)


def _texts(pod: Pod) -> Iterator[tuple[str, Path]]:
    """Yield the texts in its containers' settings, with their paths."""
    for container in pod.every:
        for name in container.env:
            yield container.env_value(name) or "", (*container.env_path(name), "value")
        for word in container.words:
            yield word.text, word.path
        for kind in ("startup", "readiness", "liveness"):
            steps = (f"{kind}Probe", "exec", "command")
            command = mapping(mapping(container.value.get(steps[0])).get("exec")).get("command")
            for index, part in enumerate(items(command)):
                if isinstance(part, str):
                    yield part, container.path(*steps, index)


def _in_value(value: object, path: Path) -> Iterator[tuple[str, Path]]:
    if isinstance(value, str):
        yield value, path
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _in_value(inner, (*path, str(key)))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _in_value(inner, (*path, index))


def _without_comment(line: str) -> str:
    return "" if line.lstrip().startswith(("#", "//")) else line
