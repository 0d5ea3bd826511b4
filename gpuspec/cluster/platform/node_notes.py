"""Notes on nodes that come and go, for facts that no object contains."""

from collections.abc import Iterator

from gpuspec.cluster.platform.karpenter import (
    is_queued,
    karpenters,
    made_class,
    node_class_of,
)
from gpuspec.cluster.platform.node_classes import DEFAULT_DISK, disk, is_beyond, pools_of
from gpuspec.cluster.platform.node_overlays import uncounted
from gpuspec.spec import Profile
from gpuspec.spec.karpenter import CLASSES

_LATEST = "@latest"
# What a class of a provider has to say, of those that are not made here.
_TO_SAY = {
    CLASSES["eks"]: "role, images, subnets, security groups, and disks that images fit on",
    CLASSES["eks-auto"]: "role, subnets, security groups, and ephemeralStorage that images fit on",
    CLASSES["aks"]: "imageFamily, and osDiskSizeGB that images fit on",
    CLASSES["gke"]: "serviceAccount, images and disks that images fit on",
}


def node_notes(profile: Profile) -> tuple[str, ...]:
    """Return notes on the pools whose nodes Karpenter creates, and on the classes of their
    machines."""
    return (*_elsewhere(profile), *_classes(profile), *_overlays(profile), *_ends(profile))


def _elsewhere(profile: Profile) -> Iterator[str]:
    pools_by_class: dict[tuple[str, str, str], list[str]] = {}
    for pool, how in karpenters(profile):
        if made_class(profile, how.node_class) is None:
            group, kind = node_class_of(profile, how.node_class)
            pools_by_class.setdefault((group, kind, how.node_class.name), []).append(pool.name)
    for (group, kind, name), pools in pools_by_class.items():
        say = _TO_SAY.get((group, kind))
        yield (
            f"{kind} {name} of pool {' and '.join(pools)} is not made here, and without it "
            f"Karpenter makes no node{f'; it has to say {say}' if say else ''}"
        )


def _classes(profile: Profile) -> Iterator[str]:
    for node_class_ in profile.spec.node_classes:
        pools = pools_of(profile, node_class_)
        if node_class_.ami_alias.endswith(_LATEST):
            yield (
                f"class {node_class_.name} follows {node_class_.ami_alias}: each new image "
                "replaces all nodes whose pods may be disrupted"
            )
        for pool in pools:
            if is_beyond(pool):
                yield (
                    f"class {node_class_.name}: no attached disk is as large as pool "
                    f"{pool.name} says; if the machine has local disks, write localDisk: true"
                )
        if not any(pool.local_disk is True or disk(pool) for pool in pools):
            yield (
                f"class {node_class_.name}: disks are of {DEFAULT_DISK}Gi, as Karpenter makes "
                "them: write `allocatable` with `ephemeralStorage`, or `localDisk`, for "
                "images of servers and training"
            )


def _overlays(profile: Profile) -> Iterator[str]:
    names = {name for pool, _ in karpenters(profile) for name in uncounted(pool)}
    if names:
        yield (
            f"for {' and '.join(sorted(names))} Karpenter needs its feature gate NodeOverlay: "
            "without it Karpenter counts none on a machine and makes no node for pods that "
            "request one"
        )


def _ends(profile: Profile) -> Iterator[str]:
    for pool, how in karpenters(profile):
        if how.termination_grace_period is not None and is_queued(profile, pool):
            yield (
                f"pool {pool.name}: Karpenter ends training on a node "
                f"{how.termination_grace_period} after the node expires or is replaced, even "
                "if it may not be disrupted"
            )
