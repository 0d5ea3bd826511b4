"""StorageClasses whose disks are in one zone; the drivers: gpuspec/products/data/storage.yaml."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.manifests.values import mapping, text
from gpuspec.products import driver_of_class, storage_driver

if TYPE_CHECKING:
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object

# Azure's disks that every zone of a region has.
_ZONE_REDUNDANT = "_ZRS"


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
    obj = collection.named("storage.k8s.io", "StorageClass", name)
    if obj is not None:
        if obj.value.get("allowedTopologies"):
            return False
        return has_zonal_disks(obj) and obj.value.get("volumeBindingMode") == "WaitForFirstConsumer"
    driver = driver_of_class(name)
    return driver is not None and driver.zonal
