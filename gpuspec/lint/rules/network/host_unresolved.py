"""A host that means a Service or a pod of the set by a wrong name or a wrong namespace."""

from __future__ import annotations

import re
from collections.abc import Iterator
from os.path import dirname

from gpuspec.lint.analysis.gangs.pod_names import names_of
from gpuspec.lint.analysis.network.addresses import Address, addresses_of, service_name
from gpuspec.lint.analysis.network.callers import service_port
from gpuspec.lint.analysis.reading.kustomizations import above
from gpuspec.lint.analysis.reading.missing import may_be_missing, meant
from gpuspec.lint.analysis.serving.selecting import selector
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.loading.placeholders import blank_name
from gpuspec.manifests.values import at, text
from gpuspec.objects.collection import Collection
from gpuspec.objects.objects import Object
from gpuspec.objects.references import Ref

RULE = Rule(
    "GPU947",
    "host-unresolved",
    "warning",
    "A host has the wrong name or namespace of a Service or pod",
    gives_way=("GPU022", "GPU744", "GPU764", "GPU877", "GPU885"),
)
_POOLS = ("inference.networking.k8s.io", "inference.networking.x-k8s.io")
_NUMBERED = (("apps", "StatefulSet"), ("batch", "Job"))
"""Kinds whose pods are named after the object and a number."""


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield hosts that the cluster's DNS does not have, while it has the one that was meant."""
    collection = context.collection
    reported: set[str] = set()
    for address in addresses_of(obj):
        if address.host not in reported:
            finding = _own_pod(address, obj) or _service(address, obj, collection)
            if finding is not None:
                reported.add(address.host)
                yield finding


def _own_pod(address: Address, obj: Object) -> RawFinding | None:
    """Return the name of one of the object's own pods in another namespace than the object's."""
    pod_name, _, rest = address.host.partition(".")
    pattern = _pod_names(obj) if obj.has_pods and obj.namespace and rest else ""
    if not pattern or not re.fullmatch(pattern, pod_name):
        return None
    before, suffix, _ = rest.partition(".svc")
    namespace = before.rpartition(".")[2]
    if not suffix or namespace == obj.namespace or any(map(blank_name, (namespace, obj.namespace))):
        return None
    return RawFinding(
        address.path,
        f"`{pod_name}` is a pod of this {obj.kind} in namespace `{obj.namespace}`, but is looked up in "
        f"`{namespace}`: the name does not resolve",
        note=f"write `{pod_name}.{before.removesuffix(namespace)}{obj.namespace}.svc`, or leave the namespace out",
        confidence="likely",
        related=(RelatedPlace(obj.number, obj.path("metadata", "namespace"), "its namespace"),),
    )


def _pod_names(obj: Object) -> str:
    """Return a pattern for the names of an object's pods; empty if unknown."""
    if (obj.group, obj.kind) in _NUMBERED:
        return rf"{re.escape(obj.name)}-[0-9]+" if obj.name else ""
    names = names_of(obj)
    return "" if names is None else names.pattern


def _service(address: Address, obj: Object, collection: Collection) -> RawFinding | None:
    """Return a host whose Service is missing, if the set has the one that was meant."""
    name, namespace = service_name(address.host)
    if not name or not address.is_plain or ("", "Service") not in collection.kinds:
        return None
    ref = Ref("", "Service", namespace or obj.namespace, name, address.path)
    if collection.all_named("", "Service", name, ref.namespace):
        return None
    service = (
        meant(ref, obj, collection)
        or _beside(ref, obj, collection)
        or (_picker(ref, obj, collection) if address.is_host else None)
    )
    if service is None or not _answers(service, address) or _is_moved((obj, service), collection):
        return None
    if service.name == name:
        whose = "" if namespace else ", the namespace of the caller"
        fault = (
            f"Service `{name}` is in namespace `{service.namespace}`, but is looked up in "
            f"`{ref.namespace}`{whose}"
        )
        right = f"{name}.{service.namespace}"
    else:
        fault = f"no Service is named `{name}`, but `{service.name}` exists"
        right = address.host.replace(name, service.name, 1)
    return RawFinding(
        address.path,
        f"{fault}: `{address.host}` does not resolve",
        note=f"write `{right}`",
        confidence="likely",
        related=(RelatedPlace(service.number, service.path("metadata", "name"), "this Service"),),
    )


def _picker(ref: Ref, obj: Object, collection: Collection) -> Object | None:
    """Return the endpoint picker of the only InferencePool in the file, if a host ends as its name
    does: it is called after the pool."""
    pools = [
        pool
        for group in _POOLS
        for pool in collection.within(group, "InferencePool", ref.namespace)
        if pool.file == obj.file
    ]
    if len(pools) != 1 or not may_be_missing(ref, collection):
        return None
    name = text(at(pools[0].spec, ("endpointPickerRef", "name")))
    name = name or text(at(pools[0].spec, ("extensionRef", "name")))
    ending = name.removeprefix(pools[0].name)
    if ending in ("", name) or not ref.name.endswith(ending):
        return None
    return collection.named("", "Service", name, ref.namespace)


def _beside(ref: Ref, obj: Object, collection: Collection) -> Object | None:
    """Return the Service of this name in the folder, if all of them are in one other namespace."""
    if not may_be_missing(ref, collection):
        return None
    objects = collection.all_named("", "Service", ref.name)
    if len({service.namespace for service in objects}) != 1:
        return None
    return objects[0] if dirname(objects[0].file) == dirname(obj.file) else None


def _answers(service: Object, address: Address) -> bool:
    """Return whether a Service has the port of an address."""
    if not selector(service) or blank_name(service.namespace):
        return False
    return address.port is None or service_port(service, address.port) is not None


def _is_moved(objects: tuple[Object, ...], collection: Collection) -> bool:
    """Return whether a kustomization moves an object to another namespace, or renames it."""
    return any(
        text(maker.value.get(field))
        for obj in objects
        for maker in above(obj, collection)
        for field in ("namespace", "namePrefix", "nameSuffix")
    )
