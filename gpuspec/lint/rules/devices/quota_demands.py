"""CPU or memory that a namespace's quota demands, and a container does not name."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import items, mapping
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Object, Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU107",
    "quota-demands-more",
    "error",
    "The namespace's quota requires a CPU or memory request that a container lacks",
)

# What a quota makes every container name (Kubernetes, pkg/quota/v1/evaluator/core/pods.go); other
# resources, devices too, may be left out.
_DEMANDS = {
    "cpu": ("requests", "cpu"),
    "memory": ("requests", "memory"),
    "requests.cpu": ("requests", "cpu"),
    "requests.memory": ("requests", "memory"),
    "limits.cpu": ("limits", "cpu"),
    "limits.memory": ("limits", "memory"),
}


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield containers without the requests that their namespace's quotas count."""
    if not is_whole(pod) or pod.object.is_a("apps.nvidia.com", "NIMService"):
        return
    for quota in context.collection.within("", "ResourceQuota", pod.object.namespace):
        if quota.namespace != pod.object.namespace or _is_scoped(quota):
            continue
        hard = mapping(quota.spec.get("hard"))
        demands = [_DEMANDS[name] for name in hard if name in _DEMANDS]
        for container in pod.every:
            if container.stage == "ephemeral":
                continue
            missing = [
                f"{field}.{name}"
                for field, name in dict.fromkeys(demands)
                if not _named(pod, container, field, name, context)
            ]
            if missing:
                words = " and ".join(f"`{resource_name}`" for resource_name in missing)
                yield RawFinding(
                    container.path("resources", missing[0].partition(".")[0]),
                    f"container `{container.name}` does not set {words}, which ResourceQuota "
                    f"`{quota.name}` requires: the API server rejects the pod",
                    note=f"set {words} in the container, or a default in a LimitRange",
                    related=(RelatedPlace(quota.number, quota.path("spec", "hard"), "the quota"),),
                )
                break


def _is_scoped(quota: Object) -> bool:
    """Return whether a quota is for some pods only; it does not matter which."""
    return bool(quota.spec.get("scopes") or quota.spec.get("scopeSelector"))


def _named(pod: Pod, container: PodContainer, field: str, name: str, context: Context) -> bool:
    """Return whether the container, the pod as a whole or a LimitRange sets it."""
    whole = mapping(pod.spec.get("resources"))
    if name in mapping(whole.get(field)) or name in mapping(whole.get("limits")):
        return True
    if name in container.limits or (field == "requests" and name in container.requests):
        return True
    for limits in context.collection.within("", "LimitRange", pod.object.namespace):
        if limits.namespace != pod.object.namespace:
            continue
        for row in items(limits.spec.get("limits")):
            default = mapping(mapping(row).get("default"))
            request = mapping(mapping(row).get("defaultRequest"))
            if mapping(row).get("type") == "Container" and (
                name in default or (field == "requests" and name in request)
            ):
                return True
    return False
