"""StorageClasses whose volumes are disks, and those in one zone; the drivers: gpuspec/products/data/storage.yaml."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gpuspec.manifests.values import mapping, text
from gpuspec.products import driver_of_class, storage_driver

if TYPE_CHECKING:
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object

# In names of classes and of provisioners: file systems of a network, and volumes of a node.
_NO_DISKS = (
    *("nfs", "efs", "file", "rwx", "cephfs", "ceph-fs", "lustre", "fsx", "fuse", "weka", "vast"),
    *("gpfs", "scale", "gluster", "juice", "beegfs", "blob", "s3", "smb", "shared", "local"),
    *(
        "hostpath",
        "host-path",
        "manual",
        "topolvm",
        "nvme",
        "no-provisioner",
        "minikube",
        "quobyte",
    ),
)
_PLAIN = re.compile(r"[A-Za-z0-9.-]+")
# Azure's disks that every zone of a region has.
_ZONE_REDUNDANT = "_ZRS"
_STORAGE = "storage.k8s.io"


def has_zonal_disks(obj: Object) -> bool:
    """Return whether the disks of a StorageClass are each in one zone."""
    parameters = mapping(obj.value.get("parameters")).values()
    if any(text(parameter).upper().endswith(_ZONE_REDUNDANT) for parameter in parameters):
        return False
    driver = storage_driver(text(obj.value.get("provisioner")))
    return driver is not None and driver.zonal


def is_zonal_claim(claim: Object, collection: Collection) -> bool:
    """Return whether the disk of a claim is made in the zone of the first pod that mounts it."""
    name = text(claim.spec.get("storageClassName"))
    if not name or claim.spec.get("volumeName") or claim.spec.get("dataSource"):
        return False
    obj = collection.named(_STORAGE, "StorageClass", name)
    if obj is not None:
        if obj.value.get("allowedTopologies"):
            return False
        return has_zonal_disks(obj) and obj.value.get("volumeBindingMode") == "WaitForFirstConsumer"
    driver = driver_of_class(name)
    return driver is not None and driver.zonal


def makes_disks(name: object, collection: Collection) -> bool:
    """Return whether a class's volumes are each attached to one node, as far as its name and its
    provisioner tell; None is the default class."""
    if name is not None and not (isinstance(name, str) and _PLAIN.fullmatch(name)):
        return False
    class_ = collection.named(_STORAGE, "StorageClass", name) if name else None
    words = f"{name or ''} {class_.value.get('provisioner') if class_ else ''}".lower()
    return not any(word in words for word in _NO_DISKS)
