"""More than a namespace's ResourceQuota or LimitRange lets its pods have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.devices.default_limits import default_limit
from gpuspec.lint.analysis.placement.amount_text import shown
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import items, mapping
from gpuspec.objects.amounts import all_amounts, at_once, written_at
from gpuspec.objects.containers import PodContainer, quantity
from gpuspec.objects.objects import Object, Pod
from gpuspec.objects.scheduling import is_whole

if TYPE_CHECKING:
    from fractions import Fraction

RULE = Rule(
    "GPU110",
    "over-quota",
    "error",
    "A pod requests more than the namespace's ResourceQuota or LimitRange allows",
)
_PLAIN = ("cpu", "memory", "ephemeral-storage")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Compare the total requests of one object's pods with quotas, and each container with limits."""
    if not is_whole(pod) or not pod.object.namespace:
        return
    for quota in context.collection.within("", "ResourceQuota", pod.object.namespace):
        scoped = quota.spec.get("scopes") or quota.spec.get("scopeSelector")
        if quota.namespace == pod.object.namespace and not scoped:
            yield from _over(pod, quota)
    for limits in context.collection.within("", "LimitRange", pod.object.namespace):
        if limits.namespace == pod.object.namespace:
            yield from _beyond(pod, limits)
    yield from _above_default(pod, context)


def _over(pod: Pod, quota: Object) -> Iterator[RawFinding]:
    hard = mapping(quota.spec.get("hard"))
    count = at_once(pod)
    for name, amount in all_amounts(pod).items():
        key = f"requests.{name}"
        if key not in hard and name in _PLAIN:
            key = name
        most = quantity(hard.get(key))
        if most is None or amount * count <= most.value:
            continue
        fits = most.value // amount
        subject = f"{count} pods request" if count > 1 else "the pod requests"
        end = (
            f"the controller creates only {fits} of the pods"
            if count > 1
            else "the API server rejects the pod"
        )
        yield RawFinding(
            pod.object.path("spec", "replicas")
            if count > 1 and "replicas" in pod.object.spec
            else written_at(pod, name),
            f"{subject} {shown(name, amount * count)}, but ResourceQuota `{quota.name}` allows "
            f"{shown(name, most.value).partition(' ')[0]}: {end}",
            note="request less, or raise the quota",
            related=(RelatedPlace(quota.number, quota.path("spec", "hard", key), "the quota"),),
        )


def _beyond(pod: Pod, limits: Object) -> Iterator[RawFinding]:
    for index, row in enumerate(items(limits.spec.get("limits"))):
        most = mapping(mapping(row).get("max"))
        if mapping(row).get("type") != "Container" or not most:
            continue
        for container in pod.every:
            if container.stage == "ephemeral":
                continue
            for name in most:
                limit = _limit(container, name)
                bound = quantity(most[name])
                if limit is None or bound is None or limit <= bound.value:
                    continue
                yield RawFinding(
                    container.path(container.resources_at, "limits", name),
                    f"container `{container.name}` has a limit of "
                    f"{shown(name, limit).partition(' ')[0]}, but LimitRange `{limits.name}` "
                    f"allows at most {shown(name, bound.value)}: the API server rejects the pod",
                    note=f"set at most {shown(name, bound.value)}, or raise `max` of the LimitRange",
                    related=(
                        RelatedPlace(
                            limits.number,
                            limits.path("spec", "limits", index, "max", name),
                            "the limit",
                        ),
                    ),
                )


def _above_default(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield requests above the limit that a container without one is given."""
    for name in _PLAIN:
        default = default_limit(pod, name, context)
        for container in pod.every if default is not None else ():
            requested = quantity(container.requests.get(name))
            if container.stage == "ephemeral" or requested is None or name in container.limits:
                continue
            if default is None or requested.value <= default.most.value:
                continue
            yield RawFinding(
                container.path(container.resources_at, "requests", name),
                f"container `{container.name}` requests {shown(name, requested.value)} without a "
                f"limit, so LimitRange `{default.limits.name}` sets a limit of {default.most}, "
                "below the request: the API server rejects the pod",
                note="set a limit that is at least the request",
                related=(RelatedPlace(default.limits.number, default.path, "the default limit"),),
            )


def _limit(container: PodContainer, name: str) -> Fraction | None:
    limit = quantity(container.limits.get(name, container.requests.get(name)))
    return None if limit is None else limit.value
