"""Networks that Multus attaches pods to, and the devices that become their interfaces.

Sources: multi-net-spec v1.3, 4.1; Multus, `k8s.v1.cni.cncf.io/resourceName`; network-operator at
1b4af1afbd0d, pkg/state/state_hostdevice_network.go; sriov-network-operator, api/v1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.manifests.json_loading import parse_json
from gpuspec.manifests.values import items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object, Pod

ANNOTATION = "k8s.v1.cni.cncf.io/networks"
DEFAULT = "v1.multus-cni.io/default-network"
_RESOURCE = "k8s.v1.cni.cncf.io/resourceName"
_DEFINITION = ("k8s.cni.cncf.io", "NetworkAttachmentDefinition")
_HOST_DEVICE = ("mellanox.com", "HostDeviceNetwork")
_OTHERS = (
    _HOST_DEVICE,
    ("sriovnetwork.openshift.io", "SriovNetwork"),
    ("sriovnetwork.openshift.io", "SriovIBNetwork"),
)
"""Kinds from which operators create definitions, in the namespace in `networkNamespace`."""
_NVIDIA = "nvidia.com/"

_WITHOUT_DEVICE = ("macvlan", "ipvlan", "ipoib", "bridge")
"""Plugins that create the interface themselves; the resource in their definition is a separate
one."""


class AttachedNetwork(msgspec.Struct, frozen=True):
    """A network whose interfaces are devices of a device plugin."""

    object: Object
    namespace: str
    """The namespace in which pods find it; empty if unknown."""
    device: str
    """The resource; it begins with a slash if the operator's setting has its domain."""

    def hands_out(self, resource: str) -> bool:
        """Return whether a resource of this name consists of its devices."""
        return resource == self.device or (self.device[0] == "/" and resource.endswith(self.device))


def networks(collection: Collection) -> list[AttachedNetwork]:
    """Return the networks of a set that have devices."""
    return collection.once(_networks)


def _networks(collection: Collection) -> list[AttachedNetwork]:
    return [*_definitions(collection), *_of_operators(collection)]


def _definitions(collection: Collection) -> Iterator[AttachedNetwork]:
    for obj in collection.of(*_DEFINITION):
        device = text(obj.annotations.get(_RESOURCE))
        if device and _type(text(obj.spec.get("config"))) not in _WITHOUT_DEVICE:
            yield AttachedNetwork(obj, obj.namespace, device)


def _type(config: str) -> str:
    """Return the CNI plugin that creates the interface: the configuration's own, or the first of a
    list."""
    try:
        written = mapping(parse_json(config))
    except ValueError:
        return ""
    first = next(iter(items(written.get("plugins"))), None)
    return text(written.get("type")) or text(mapping(first).get("type"))


def _of_operators(collection: Collection) -> Iterator[AttachedNetwork]:
    for kind in _OTHERS:
        for obj in collection.of(*kind):
            if name := text(obj.spec.get("resourceName")):
                domain = _NVIDIA if kind == _HOST_DEVICE else "/"
                device = f"{domain}{name.removeprefix(domain)}"
                yield AttachedNetwork(obj, text(obj.spec.get("networkNamespace")), device)


def attached(
    pod: Pod, annotation: str, attached_networks: list[AttachedNetwork]
) -> list[AttachedNetwork] | None:
    """Return the known networks in a pod's annotation; None if it cannot be parsed."""
    network_names = [*_selected(pod, annotation)]
    if None in network_names:
        return None
    return [
        attached_network
        for network_name in network_names
        if network_name is not None
        for attached_network in attached_networks
        if attached_network.object.name == network_name[1]
        and (not attached_network.namespace or network_name[0] in ("", attached_network.namespace))
    ]


def _selected(pod: Pod, annotation: str) -> Iterator[tuple[str, str] | None]:
    """Yield namespace and name of each network in an annotation, in either form; None for an
    invalid name."""
    annotation_text = text(pod.annotations.get(annotation)).strip()
    pod_namespace = pod.object.namespace
    if annotation_text.startswith("["):
        try:
            rows = parse_json(annotation_text)
        except ValueError:
            rows = [None]
        for row in items(rows):
            name = text(mapping(row).get("name"))
            yield (text(mapping(row).get("namespace")) or pod_namespace, name) if name else None
        return
    for item in filter(None, map(str.strip, annotation_text.split(","))):
        namespace, _, rest = item.rpartition("/")
        yield namespace or pod_namespace, rest.partition("@")[0]
