"""The list of checks, and the function that runs them on a profile."""

from collections.abc import Callable, Iterator

from gpuspec.cluster.check import (
    carriers,
    drivers,
    fabric,
    karpenter,
    labels,
    limits,
    machines,
    makers,
    nodes,
    pools,
    services,
    sizes,
    tenants,
)
from gpuspec.cluster.check.finding import CheckRemark, PoolAt, ProfileFinding
from gpuspec.manifests import Path, Place
from gpuspec.spec import ClusterProfileSpec, Profile, model_of
from gpuspec.spec.extends import PresetPlace

POOL_CHECKS: dict[str, Callable[[PoolAt], Iterator[CheckRemark]]] = {
    "capacity-label": labels.capacity_label,
    "count-label": labels.count_label,
    "cpu-share": sizes.cpu_share,
    "device-groups": makers.device_groups,
    "driver-label": drivers.driver_label,
    "driver-model": drivers.driver_model,
    "driver-pages": makers.driver_pages,
    "efa": fabric.efa,
    "fabric-pods": fabric.fabric_pods,
    "fabric-reasons": fabric.fabric_reasons,
    "generation-label": labels.generation_label,
    "karpenter-claims": karpenter.karpenter_claims,
    "karpenter-group": karpenter.karpenter_group,
    "karpenter-machine": karpenter.karpenter_machine,
    "karpenter-memory": karpenter.karpenter_memory,
    "karpenter-nodes": karpenter.karpenter_nodes,
    "layout-label": labels.layout_label,
    "machine-type": machines.machine_type,
    "memlock": fabric.memlock,
    "memory-label": labels.memory_label,
    "memory-share": sizes.memory_share,
    "model-label": labels.model_label,
    "no-nodes": nodes.no_nodes,
    "passing-taint": nodes.passing_taint,
    "pod-slots": sizes.pod_slots,
    "provider-label": labels.provider_label,
    "provider-sharing": pools.provider_sharing,
    "runtime-class": nodes.runtime_class,
    "share-memory": sizes.share_memory,
    "sharing-label": labels.sharing_label,
    "spare": nodes.spare,
    "spot-notice": nodes.spot_notice,
    "spot-taint": nodes.spot_taint,
    "tiling": sizes.tiling,
    "untainted": nodes.untainted,
    "zone-label": labels.zone_label,
}
CLUSTER_CHECKS: dict[str, Callable[[ClusterProfileSpec], Iterator[CheckRemark]]] = {
    "adapter": services.adapter,
    "closed-servers": limits.closed_servers,
    "cohort-members": tenants.cohort_members,
    "components": services.components,
    "config-names": pools.config_names,
    "expendable": services.expendable,
    "gpus-per-pod": limits.gpus_per_pod,
    "karpenter-check": karpenter.karpenter_check,
    "peers": services.peers,
    "placeholder-class": services.placeholder_class,
    "placeholder-room": services.placeholder_room,
    "pod-security": tenants.pod_security,
    "queue-capacity": tenants.queue_capacity,
    "queue-namespaces": tenants.queue_namespaces,
    "queue-quota": tenants.queue_quota,
    "quota-above": tenants.quota_above,
    "quota-gap": tenants.quota_gap,
    "scc-level": tenants.scc_level,
    "shared-class": services.shared_class,
    "targets": carriers.targets,
    "training-runtime": carriers.training_runtime,
    "twins": pools.twins,
    "upgrade-room": drivers.upgrade_room,
    "validation-limits": limits.validation_limits,
    "valueless-class": services.valueless_class,
}


def check_profile(profile: Profile) -> tuple[ProfileFinding, ...]:
    """Return the findings about a valid profile, in the order of its text.

    The profile has been read, so errors of the spec's rules are not reported again. Pure.
    """
    profile_findings = [
        ProfileFinding(
            name,
            remark.severity,
            remark.message,
            remark.why,
            remark.fix,
            remark.path,
            _place(profile, remark.path),
        )
        for name, remark in _remarks(profile.spec)
    ]
    return tuple(sorted(profile_findings, key=_order))


def _place(profile: Profile, path: Path) -> Place | None:
    """Return the place of a path, or else the line that names the recipe or preset with it."""
    place = profile.place(path)
    if not isinstance(place, PresetPlace):
        return place
    for candidate in ((*path[:3], "rdma", "recipe"), ("spec", "extends")):
        position = profile.place(candidate)
        if not isinstance(position, PresetPlace):
            return position
    return place


def _remarks(spec: ClusterProfileSpec) -> Iterator[tuple[str, CheckRemark]]:
    for index, pool in enumerate(spec.pools):
        at = PoolAt(spec, pool, model_of(pool), index)
        for name, pool_check in POOL_CHECKS.items():
            yield from ((name, remark) for remark in pool_check(at))
    for name, check in CLUSTER_CHECKS.items():
        yield from ((name, remark) for remark in check(spec))


def _order(finding: ProfileFinding) -> tuple[int, int, str]:
    place = finding.place
    return (place.line, place.column, finding.check) if place else (0, 0, finding.check)
