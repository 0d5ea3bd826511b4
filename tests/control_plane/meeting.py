"""Where the pods of a group find each other, and what tells them from pods that others carry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.control_plane.client import Object, Ref
from tests.control_plane.stories import World

# What no two pods share.
ITS_OWN = frozenset(
    ("name", "generateName", "uid", "resourceVersion", "generation", "creationTimestamp")
) | {"ownerReferences", "managedFields", "namespace"}


def resolve(here: World, host: str) -> list[str]:
    """The pods that a host name leads to, by name: those that a headless Service has under it."""
    name, service, *_ = host.split(".")
    found = here.get(Ref("v1", "Service", service, here.namespace))
    if found["spec"]["clusterIP"] != "None":
        return []
    return [each["targetRef"]["name"] for each in _endpoints(here, service, name)]


def answering(here: World, service: str) -> list[str]:
    """The pods that a Service sends to, by name."""
    return sorted(each["targetRef"]["name"] for each in _endpoints(here, service))


def _endpoints(here: World, service: str, host: str | None = None) -> Iterator[Object]:
    slices = Ref("discovery.k8s.io/v1", "EndpointSlice", namespace=here.namespace)
    for one in here.client.objects(slices, f"kubernetes.io/service-name={service}"):
        for each in one.get("endpoints") or ():
            if each["conditions"]["ready"] and host in (None, each.get("hostname")):
                yield each


def variables(pod: Object) -> dict[str, str]:
    """The variables of a pod's first container that have a value."""
    env = pod["spec"]["containers"][0]["env"]
    return {each["name"]: each["value"] for each in env if "value" in each}


def env(pod: Object) -> dict[str, Any]:
    """The variables of a pod's first container, whole; of two of a name, the one that holds."""
    return {each["name"]: each for each in pod["spec"]["containers"][0]["env"]}


def differences(one: Object, other: Object) -> set[str]:
    """The fields in which two pods differ, but for where they run and what no two pods share."""
    return set(_differ(_comparable(one), _comparable(other)))


def _comparable(pod: Object) -> Object:
    meta = {key: value for key, value in pod["metadata"].items() if key not in ITS_OWN}
    return {"metadata": meta, "spec": pod["spec"] | {"nodeName": ""}}


def _differ(one: Any, other: Any, path: str = "") -> Iterator[str]:
    if isinstance(one, list) and isinstance(other, list):
        one, other = _named(one), _named(other)
    if isinstance(one, dict) and isinstance(other, dict):
        for key in {*one, *other}:
            inner = f"{path}.{key}" if path else str(key)
            yield from _differ(one.get(key), other.get(key), inner)
    elif one != other:
        yield path


def _named(items: list[Any]) -> Any:
    """The items by name, where all have one; their order then counts for nothing."""
    if items and all(isinstance(each, dict) and "name" in each for each in items):
        return {each["name"]: each for each in items}
    return items
