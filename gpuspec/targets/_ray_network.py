"""Who can reach the head of a Ray cluster: every client that does can run any code in it."""

from collections.abc import Iterable

import msgspec

from gpuspec.plan import policy
from gpuspec.plan.decision import Decision, PlanPart, derived
from gpuspec.plan.facets import ObjectPlan
from gpuspec.plan.target import TargetInput
from gpuspec.spec import InferenceSpec
from gpuspec.targets import _ray_cluster

_OPERATOR = {"app.kubernetes.io/component": "kuberay-operator"}
"""The label of KubeRay's controller in its own installations."""
_METRICS = "metrics"


class HeadPolicyPlan(msgspec.Struct, frozen=True):
    """A NetworkPolicy of the heads."""

    name: PlanPart
    selector: PlanPart
    types: PlanPart
    ingress: PlanPart
    egress: PlanPart


def head_policy(
    of: TargetInput, controller_ports: Iterable[int], clients: Iterable[str] = ()
) -> tuple[ObjectPlan, ...]:
    """Return the NetworkPolicy of the heads; none if the profile restricts no traffic.

    `controller_ports`: the ports that KubeRay's controller connects to; `clients`: those for clients, by
    name.
    """
    spec, closing = of.resolution.spec, of.network
    assert isinstance(spec, InferenceSpec)
    if closing is None:
        return ()
    mates = _ray_cluster.mates(of.name.value)
    operator = {"namespaceSelector": {}, "podSelector": {"matchLabels": _OPERATOR}}
    ports = [{"port": number, "protocol": "TCP"} for number in controller_ports]
    rules = [
        *policy.together(of.resolution, mates),
        derived(
            "ray",
            {"from": [operator], "ports": ports},
            "KubeRay's controller deploys and watches through them, from any namespace",
        ),
        *policy.called(of.resolution, spec, clients, _METRICS),
    ]
    name = f"{of.name.value}-head"
    plan = HeadPolicyPlan(
        name=derived("ray", name, "the head's own: it has other clients than the workers"),
        selector=derived("ray", _ray_cluster.head_labels(of.name.value), "the head"),
        types=closing.types,
        ingress=tuple(rules),
        egress=_with_dns(of, closing.egress),
    )
    return (ObjectPlan("ray-head-policy", {"head_policy": plan}),)


def _with_dns(of: TargetInput, egress: PlanPart) -> PlanPart:
    """Return what workers may reach. If Cilium allows names, it opens DNS to the workers only."""
    assert isinstance(egress, tuple)
    dns = policy.dns(of.resolution)
    allows_dns = any(isinstance(rule, Decision) and rule.value == dns.value for rule in egress)
    return egress if allows_dns else (dns, *egress)
