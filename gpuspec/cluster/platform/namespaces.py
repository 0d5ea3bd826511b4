"""Namespaces with their Pod Security level, default requests, quotas and network policies."""

from fractions import Fraction
from typing import Any

from gpuspec.cluster.platform.closed import closing_objects
from gpuspec.cluster.platform.limits import limit_labels, limit_range, max_gpus_objects
from gpuspec.manifests import Quantity
from gpuspec.plan import device_options
from gpuspec.spec import Profile, model_of
from gpuspec.spec.namespaces import Namespace

POD_SECURITY = "pod-security.kubernetes.io/"
QUOTA = "gpuspec"
CLAIMED = ".deviceclass.resource.k8s.io/devices"
"""The suffix of a quota on the devices of a DeviceClass."""
_RBAC = "rbac.authorization.k8s.io"
# Pruned, a Namespace takes claims with weights and checkpoints with it: a profile that no longer
# names one must not be able to do that.
KEPT = {
    "argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
    "kustomize.toolkit.fluxcd.io/prune": "disabled",
}


def namespace_objects(profile: Profile) -> list[dict[str, Any]]:
    """Return a Namespace for each one in the profile, its limits and policies, and the right to use
    its SCC."""
    objects: list[dict[str, Any]] = []
    for space in _spaces(profile):
        metadata = {
            "name": space.name,
            "labels": _pod_security(space.pod_security, profile.spec.kubernetes)
            | limit_labels(space),
            "annotations": dict(KEPT),
        }
        objects.append({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
        if space.quota:
            objects.append(_quota(profile, space.name, space.quota))
        if limits := limit_range(space):
            objects.append(limits)
        objects += closing_objects(profile, space)
        for scc, accounts in sorted(space.scc.items()):
            objects += _may_use(space.name, scc, accounts)
    return objects + max_gpus_objects(profile)


def _spaces(profile: Profile) -> tuple[Namespace, ...]:
    """Return the profile's namespaces, and that of the validation Jobs."""
    namespaces, validation = profile.spec.namespaces, profile.spec.validation
    if validation is None or any(space.name == validation.namespace for space in namespaces):
        return namespaces
    return (*namespaces, Namespace(name=validation.namespace))


def _pod_security(level: str, kubernetes: str) -> dict[str, str]:
    """Return the labels of the level, pinned to the profile's Kubernetes version; warnings and
    audit use the newest.

    An upgrade of the cluster so rejects no pod that ran before, and warns about pods that the new
    version would reject. Below `restricted`, warnings list what `restricted` would reject.
    `privileged` is a deliberate choice and has no warnings.
    """
    labels = {"enforce": level, "enforce-version": f"v{kubernetes}"}
    if level != "privileged":
        for mode in ("audit", "warn"):
            labels[mode] = "restricted"
            labels[f"{mode}-version"] = "latest"
    return {POD_SECURITY + key: value for key, value in sorted(labels.items())}


def _quota(profile: Profile, namespace: str, quota: dict[str, Quantity]) -> dict[str, Any]:
    """Return the quota of an extended resource: only requests can have one, and its limits equal
    them. Devices for claims are counted by their class, all MIG profiles of one class together."""
    counts: dict[str, Fraction] = {}
    for name, amount in quota.items():
        for counted in _counted(profile, name):
            counts[counted] = counts.get(counted, Fraction(0)) + amount.value
    hard = {
        f"requests.{name}": str(quota[name])
        for name in quota
        if f"requests.{name}" in _counted(profile, name)
    }
    hard |= {name: str(counts[name]) for name in counts if name.endswith(CLAIMED)}
    hard = dict(sorted(hard.items()))
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": QUOTA, "namespace": namespace},
        "spec": {"hard": hard},
    }


def _counted(profile: Profile, resource: str) -> list[str]:
    """Return what the quota of a resource counts: requests, and claims for pools with DRA
    devices."""
    ways = [
        device_option.claimed
        for pool in profile.spec.pools
        for device_option in device_options(pool, model_of(pool))
        if device_option.resource == resource
    ]
    counted = [f"{by}{CLAIMED}" if by else f"requests.{resource}" for by in dict.fromkeys(ways)]
    return counted or [f"requests.{resource}"]


def _may_use(namespace: str, scc: str, accounts: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return the objects that let ServiceAccounts use an SCC in their namespace only."""
    metadata = {"name": f"gpuspec-scc-{scc}", "namespace": namespace}
    rule = {
        "apiGroups": ["security.openshift.io"],
        "resources": ["securitycontextconstraints"],
        "resourceNames": [scc],
        "verbs": ["use"],
    }
    subjects = [
        {"kind": "ServiceAccount", "name": name, "namespace": namespace} for name in accounts
    ]
    role = {"apiGroup": _RBAC, "kind": "Role", "name": metadata["name"]}
    return [
        {"apiVersion": f"{_RBAC}/v1", "kind": "Role", "metadata": {**metadata}, "rules": [rule]},
        {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "RoleBinding",
            "metadata": metadata,
            "roleRef": role,
            "subjects": subjects,
        },
    ]
