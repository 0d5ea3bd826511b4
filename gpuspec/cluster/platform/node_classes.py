"""EC2NodeClasses for Karpenter: role, image, network, and disks for pods.

Source: aws/karpenter-provider-aws v1.14.1 (pkg/apis/v1/ec2nodeclass.go, pkg/providers/amifamily,
pkg/providers/instancetype/types.go).
"""

from typing import Any

from gpuspec.cluster.platform.karpenter import karpenters, made_class
from gpuspec.spec import NodeClass, Pool, Profile
from gpuspec.spec.karpenter import CLASSES

Object = dict[str, Any]
_GIB = 1 << 30
# The disk that pods have, by the family of the image. Bottlerocket has its own system on another.
_DISKS = {"al2": "/dev/xvda", "al2023": "/dev/xvda", "bottlerocket": "/dev/xvdb"}
# Of a disk pods have nine tenths, below which they are evicted, without a reserve of 1Gi.
_RESERVE, _PARTS, _LEFT = _GIB, 10, 9
# The largest disk of gp3; who has more has it on disks of the machine itself.
_LARGEST = 16384
DEFAULT_DISK = 20


def node_classes(profile: Profile) -> list[Object]:
    """Return an EC2NodeClass for each class of the profile."""
    group, kind = CLASSES["eks"]
    return [
        {
            "apiVersion": f"{group}/v1",
            "kind": kind,
            "metadata": {"name": node_class_.name},
            "spec": _spec(node_class_, pools_of(profile, node_class_)),
        }
        for node_class_ in profile.spec.node_classes
    ]


def pools_of(profile: Profile, node_class: NodeClass) -> list[Pool]:
    """Return the pools with machines of a class."""
    return [
        pool
        for pool, how in karpenters(profile)
        if made_class(profile, how.node_class) == node_class
    ]


def _spec(node_class: NodeClass, pools: list[Pool]) -> Object:
    spec: Object = {
        "role": node_class.role,
        "amiSelectorTerms": [{"alias": node_class.ami_alias}],
        "subnetSelectorTerms": [{"tags": dict(sorted(node_class.subnets.items()))}],
        "securityGroupSelectorTerms": [{"tags": dict(sorted(node_class.security_groups.items()))}],
    }
    if any(pool.local_disk is True for pool in pools):
        spec["instanceStorePolicy"] = "RAID0"
    size = max((disk(pool) for pool in pools), default=0)
    if DEFAULT_DISK < size <= _LARGEST:
        device = _DISKS[node_class.ami_alias.partition("@")[0]]
        ebs = {"volumeSize": f"{size}Gi", "volumeType": "gp3", "encrypted": True}
        spec["blockDeviceMappings"] = [{"deviceName": device, "ebs": ebs}]
    return spec


def disk(pool: Pool) -> int:
    """Return the size in Gi of a disk on which pods have what the pool states; 0 if the default
    disk is enough."""
    have = pool.allocatable
    if pool.local_disk is True or have is None or have.ephemeral_storage is None:
        return 0
    needed = (have.ephemeral_storage.int_value + _RESERVE) * _PARTS
    return -(-needed // (_LEFT * _GIB))


def is_beyond(pool: Pool) -> bool:
    """Return whether no disk of the cloud is as large as the pool states."""
    return disk(pool) > _LARGEST
