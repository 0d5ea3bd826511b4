"""The disk of the nodes that Karpenter's NodePools of a set create, by their node classes.

Sources: aws/karpenter-provider-aws at 1d927085d pkg/providers/instancetype/types.go
(`ephemeralStorage`), pkg/providers/amifamily (`EphemeralBlockDevice`, 20Gi by default);
awsdocs/amazon-eks-user-guide automode/create-node-class.adoc (80Gi by default);
Azure/karpenter-provider-azure pkg/apis/v1beta1/aksnodeclass.go (128 GB by default);
cloudpilot-ai/karpenter-provider-gcp pkg/apis/v1alpha1/gcenodeclass.go.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.lint.analysis.placement.node_pools import template
from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.objects.containers import quantity

if TYPE_CHECKING:
    from gpuspec.manifests import Path
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object

_GIGA, _GIB = 10**9, 2**30
_DEVICES = {"al2": "/dev/xvda", "al2023": "/dev/xvda", "bottlerocket": "/dev/xvdb"}
"""By family of images, the device that holds pods and images."""


class NodeDisk(msgspec.Struct, frozen=True):
    """The disk of a pool's nodes."""

    node_class: Object
    path: Path
    """The field with its size, or where it would be."""
    size: Fraction
    """In bytes, nothing reserved yet."""


def node_disk(pool: Object, collection: Collection) -> NodeDisk | None:
    """Return the disk of a pool's nodes; None if its node class is not in the set, or unknown."""
    ref = mapping(template(pool).get("nodeClassRef"))
    group, kind, name = (text(ref.get(field)) for field in ("group", "kind", "name"))
    node_class = collection.named(group, kind, name)
    if node_class is None:
        return None
    match group:
        case "karpenter.k8s.aws":
            return _of_ec2(node_class)
        case "eks.amazonaws.com":
            return _sized(node_class, ("ephemeralStorage", "size"), quantity_of("80Gi"))
        case "karpenter.azure.com":
            return _sized(node_class, ("osDiskSizeGB",), quantity_of("128G"), _GIGA)
        case "karpenter.k8s.gcp":
            return _of_gcp(node_class)
    return None


def quantity_of(value: Any) -> Fraction | None:
    """Return a quantity in bytes; None if it is none."""
    amount = quantity(value)
    return None if amount is None else amount.value


def _sized(
    node_class: Object, inside: Path, default: Fraction | None, unit: int = 1
) -> NodeDisk | None:
    value = at(node_class.spec, inside)
    size = default if value is None else quantity_of(value)
    if size is None:
        return None
    return NodeDisk(
        node_class, node_class.path("spec", *inside), size if value is None else size * unit
    )


def _of_ec2(node_class: Object) -> NodeDisk | None:
    """Return the volume with pods and images; None if local disks take its place."""
    if node_class.spec.get("instanceStorePolicy"):
        return None
    device = _DEVICES.get(_family(node_class))
    rows = [mapping(row) for row in items(node_class.spec.get("blockDeviceMappings"))]
    root = next((index for index, row in enumerate(rows) if row.get("rootVolume") is True), None)
    if root is None and device is not None:
        root = next(
            (index for index, row in enumerate(rows) if row.get("deviceName") == device), None
        )
    if root is not None:
        return _sized(node_class, ("blockDeviceMappings", root, "ebs", "volumeSize"), None)
    if device is None:
        return None
    return _sized(node_class, ("blockDeviceMappings",), quantity_of("20Gi")) if not rows else None


def _family(node_class: Object) -> str:
    aliases = [
        text(mapping(term).get("alias")).partition("@")[0]
        for term in items(node_class.spec.get("amiSelectorTerms"))
    ]
    return text(node_class.spec.get("amiFamily")).lower() or next(filter(None, aliases), "")


def _of_gcp(node_class: Object) -> NodeDisk | None:
    for index, disk in enumerate(map(mapping, items(node_class.spec.get("disks")))):
        if disk.get("boot") is True:
            return _sized(node_class, ("disks", index, "sizeGiB"), None, _GIB)
    return None
