"""NetworkPolicies that keep the ranks of one run from each other."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.devices.makers import library
from gpuspec.lint.analysis.gangs.policies import (
    Direction,
    Passed,
    PolicySelection,
    isolating,
    lets_dns,
    passed,
)
from gpuspec.lint.analysis.serving.servers import is_first
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.objects.gangs import gang_of
from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU765",
    "ranks-cut-off",
    "warning",
    "A NetworkPolicy blocks traffic between the ranks of one run",
)
_FIELD = {"Ingress": "ingress", "Egress": "egress"}
_WAY = {"Ingress": "incoming", "Egress": "outgoing"}
_DIRECTIONS: tuple[Direction, ...] = ("Ingress", "Egress")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield gangs of which NetworkPolicies of the same namespace select pods."""
    gang = gang_of(pod.object)
    if gang is None or not is_first(pod) or not context.collection.kinds & _POLICIES:
        return
    pods = [
        gang_pod for gang_pod in pod.object.pods if gang_pod.spec.get("hostNetwork") is not True
    ]
    for direction in _DIRECTIONS:
        finding = next(_between(pods, direction, context), None)
        if finding is not None:
            yield finding
            return
    for gang_pod in pods:
        target = PolicySelection.of(gang_pod)
        policies = isolating(target, "Egress", context.collection)
        if policies and not lets_dns(target, context.dns_ports, context.collection):
            port = min(context.dns_ports)
            yield _found(
                policies[0],
                gang_pod,
                "Egress",
                (
                    f"blocks DNS (port {port}) for all ranks: no rank can resolve the first rank's "
                    "name"
                ),
                f"add a rule with `ports: [{{protocol: UDP, port: {port}}}, "
                f"{{protocol: TCP, port: {port}}}]`",
            )
            return


_POLICIES = {("networking.k8s.io", "NetworkPolicy")}


def _between(pods: list[Pod], direction: Direction, context: Context) -> Iterator[RawFinding]:
    for target in pods:
        policies = isolating(PolicySelection.of(target), direction, context.collection)
        if not policies:
            continue
        for pod in pods:
            if pod is target and (target.role.count or 0) < 2 and len(pods) > 1:
                continue
            went = passed(
                PolicySelection.of(target), PolicySelection.of(pod), direction, context.collection
            )
            if went != "all":
                yield _found(policies[0], target, direction, *_said(went, direction, target))
                return


def _said(went: Passed, direction: Direction, pod: Pod) -> tuple[str, str]:
    way = _WAY[direction]
    right = "add a rule for pods with these labels, without `ports`"
    if went == "ports":
        name = next(map(library, pod.gpu_containers), "NCCL")
        return (
            (
                f"allows {way} traffic between the ranks only on some ports, but {name} also "
                "uses random ones: the ranks hang at their first collective operation"
            ),
            right,
        )
    return (
        f"blocks all {way} traffic between the ranks: the ranks never meet, and hold their GPUs"
    ), right


def _found(policy: Object, pod: Pod, direction: Direction, fault: str, right: str) -> RawFinding:
    owner = pod.object
    return RawFinding(
        policy.path("spec", _FIELD[direction]),
        f"the policy {fault}",
        note=right,
        object=policy.number,
        confidence="likely",
        related=(
            RelatedPlace(
                owner.number, owner.path("metadata", "name"), "the policy applies to its pods"
            ),
        ),
    )
