"""Kueue's admission checks: provisioned nodes first, and workloads for other clusters.

Source: kubernetes-sigs/kueue v0.19.2 (apis/kueue/v1beta2, pkg/controller/admissionchecks).
"""

from collections.abc import Callable, Iterator
from typing import Any

from gpuspec.plan.quotas import devices
from gpuspec.plan.topology import kueue
from gpuspec.spec import Profile
from gpuspec.spec.admission_checks import MadeCheck, MultiKueue

Object = dict[str, Any]
MakeObject = Callable[[str, str], Object]
_GROUP = "kueue.x-k8s.io"
_PROVISIONING, _MULTI = f"{_GROUP}/provisioning-request", f"{_GROUP}/multikueue"
_ALL_OR_NONE = "best-effort-atomic-scale-up.autoscaling.x-k8s.io"
_GKE = "queued-provisioning.gke.io"
# Of Kueue, the version from which a cluster says its source by kind.
_SOURCES_SINCE = (0, 15)


def check_objects(profile: Profile, make: MakeObject) -> list[Object]:
    """Return the checks with their parameters; `make` starts a Kueue object by kind and name."""
    objects: list[Object] = []
    for check in profile.spec.admission_checks:
        if check.provisioning_request is not None:
            kind, controller = "ProvisioningRequestConfig", _PROVISIONING
            spec: Object = {"provisioningClassName": provisioning_class(profile, check)}
            if managed := _devices(profile, check):
                spec["managedResources"] = managed
            objects.append({**make(kind, check.name), "spec": spec})
        else:
            assert check.multi_kueue is not None
            kind, controller = "MultiKueueConfig", _MULTI
            names = [cluster.name for cluster in check.multi_kueue.clusters]
            objects.append({**make(kind, check.name), "spec": {"clusters": names}})
        parameters = {"apiGroup": _GROUP, "kind": kind, "name": check.name}
        spec = {"controllerName": controller, "parameters": parameters}
        objects.append({**make("AdmissionCheck", check.name), "spec": spec})
    return [*_clusters(profile, make), *objects]


def _clusters(profile: Profile, make: MakeObject) -> list[Object]:
    """Return each worker cluster once."""
    secrets = {
        cluster.name: cluster.kube_config for multi in _multi(profile) for cluster in multi.clusters
    }
    clusters = []
    for name, secret in secrets.items():
        source = {"kubeConfig": {"location": secret, "locationType": "Secret"}}
        new = kueue(profile) >= _SOURCES_SINCE
        spec = {"clusterSource": source} if new else source
        clusters.append({**make("MultiKueueCluster", name), "spec": spec})
    return clusters


def _multi(profile: Profile) -> Iterator[MultiKueue]:
    for check in profile.spec.admission_checks:
        if check.multi_kueue is not None:
            yield check.multi_kueue


def provisioning_class(profile: Profile, check: MadeCheck) -> str:
    """Return the class of the ProvisioningRequests."""
    class_name = check.provisioning_request.class_name if check.provisioning_request else None
    return class_name or (_GKE if profile.spec.provider == "gke" else _ALL_OR_NONE)


def _devices(profile: Profile, check: MadeCheck) -> list[str]:
    """Return the devices of the pools with the check: pods without any need no node of these
    pools."""
    checked_pools = {
        pool
        for queue in profile.spec.queues
        for admission_check in queue.admission_checks
        if admission_check.name == check.name
        for pool in admission_check.pools or [part.pool for part in queue.pools]
    }
    pools = [pool for pool in profile.spec.pools if pool.name in checked_pools]
    return list(dict.fromkeys(name for pool in pools for name in devices(pool, pool.gpu.count)))


def check_notes(profile: Profile) -> Iterator[str]:
    """Yield notes on objects that the checks need, and that `cluster render` does not create."""
    names = {check.name for check in profile.spec.admission_checks}
    asking: dict[str, list[str]] = {}
    for queue in profile.spec.queues:
        for admission_check in queue.admission_checks:
            asking.setdefault(admission_check.name, []).append(queue.cluster)
    for name, queues in asking.items():
        if name not in names:
            yield (
                f"AdmissionCheck {name} is not made here: without it ClusterQueue "
                f"{' and '.join(queues)} admits nothing"
            )
    for check in profile.spec.admission_checks:
        if check.provisioning_request is None:
            continue
        if provisioning_class(profile, check) == _GKE:
            yield (
                f"check {check.name}: create its node pools with --enable-queued-provisioning "
                "and --reservation-affinity=none"
            )
        else:
            yield (
                f"check {check.name}: start Cluster Autoscaler with --enable-provisioning-requests"
            )
    secrets = dict.fromkeys(
        cluster.kube_config for multi in _multi(profile) for cluster in multi.clusters
    )
    if secrets:
        yield (
            f"Secret {' and '.join(secrets)} in Kueue's own namespace has the key `kubeconfig`, and in "
            "each of the clusters is a queue of the same name"
        )
