"""Pods with a critical priority in a namespace without the quota that the provider requires for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.lint.analysis.reading.releases import releases_of
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import at, items, mapping

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.context import Context
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU934",
    "critical-without-quota",
    "warning",
    "The provider admits no pod of a critical priority in a namespace without a quota for it",
)
_CRITICAL = frozenset({"system-node-critical", "system-cluster-critical"})
# Namespaces of the provider, which have the quota.
_PROVIDERS = ("kube-", "gke-", "gmp-", "gke-managed-")
# Charts whose pods have such a priority by default. NVIDIA/gpu-operator v26.7.0 values.yaml (operator.priorityClassName,
# daemonsets.priorityClassName); kubernetes-sigs/dra-driver-nvidia-gpu values.yaml; NVIDIA/k8s-device-plugin values.yaml.
_CHARTS = {
    "gpu-operator": ("operator.priorityClassName", "daemonsets.priorityClassName"),
    "dra-driver-nvidia-gpu": ("kubeletPlugin.priorityClassName",),
    "nvidia-dra-driver-gpu": ("kubeletPlugin.priorityClassName",),
    "nvidia-device-plugin": ("priorityClassName",),
}
_THEN = (
    "but namespace `{namespace}` has no ResourceQuota for that priority in these files, as GKE "
    "requires: no pod is created (`insufficient quota to match these scopes`)"
)
_NOTE = (
    "add a ResourceQuota with `scopeSelector: {{matchExpressions: [{{operator: In, scopeName: "
    "PriorityClass, values: [{priority}]}}]}}` and `hard: {{pods: 100}}`"
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield pods and releases on GKE, whose API server limits these priorities by default."""
    if context.provider != "gke":
        return
    for release in releases_of(obj, context):
        paths = _CHARTS.get(release.chart, ())
        values = [at(release.values, tuple(path.split("."))) for path in paths]
        if (
            not paths
            or not release.whole
            or all(value not in (None, *_CRITICAL) for value in values)
        ):
            continue
        if _is_refused(release.namespace, context.collection):
            path, inside = release.place()
            yield RawFinding(
                path,
                f"pods of `{release.chart}` have the priority `system-node-critical`, "
                + _THEN.format(namespace=release.namespace),
                note=_NOTE.format(priority=", ".join(sorted(_CRITICAL))),
                confidence="likely",
                inside=inside,
            )
    for pod in obj.pods:
        priority = pod.spec.get("priorityClassName")
        if priority in _CRITICAL and _is_refused(obj.namespace, context.collection):
            yield RawFinding(
                pod.path("priorityClassName"),
                f"the pods have the priority `{priority}`, "
                + _THEN.format(namespace=obj.namespace),
                note=_NOTE.format(priority=priority),
                confidence="likely",
            )
            break


def _is_refused(namespace: str, collection: Collection) -> bool:
    # Whoever writes a namespace writes its quotas; of another one, they may be anywhere.
    if namespace.startswith(_PROVIDERS) or collection.named("", "Namespace", namespace) is None:
        return False
    return not any(
        quota.namespace in ("", namespace) and _is_for_priority(quota)
        for quota in collection.of("", "ResourceQuota")
    )


def _is_for_priority(quota: Object) -> bool:
    expressions = items(at(quota.spec, ("scopeSelector", "matchExpressions")))
    return any(
        mapping(expression).get("scopeName") == "PriorityClass" for expression in expressions
    )
