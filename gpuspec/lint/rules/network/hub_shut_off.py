"""NetworkPolicies that let a pod reach its own cluster only, although it downloads from outside."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network
from typing import Any

from gpuspec.lint.analysis.gangs.policies import PolicyPort, PolicySelection, isolating, lets
from gpuspec.lint.analysis.network.callers import has_other_policies
from gpuspec.lint.analysis.network.fetching import fetched
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import mapping, text
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU879",
    "hub-shut-off",
    "warning",
    "A NetworkPolicy blocks the host from which a pod downloads a model or code",
    gives_way=("GPU897",),
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield pods that download at their start, by the policies for their way out."""
    collection = context.collection
    if ("networking.k8s.io", "NetworkPolicy") not in collection.kinds:
        return
    if pod.spec.get("hostNetwork") is True or has_other_policies(collection):
        return
    target = PolicySelection.of(pod)
    policies = isolating(target, "Egress", collection)
    for download in fetched(pod) if policies else ():
        if lets(target, "Egress", _may_be_outside, PolicyPort(download.port), collection):
            continue
        yield RawFinding(
            policies[0].path("spec", "egress"),
            f"the policy blocks {pod.object.kind} `{pod.object.name}` from {download.source} (port "
            f"{download.port} outside the cluster), from which the pod downloads {download.thing}: the pod "
            "never becomes ready",
            note=(
                f"allow `{{ipBlock: {{cidr: 0.0.0.0/0}}}}` with port {download.port}, or mount "
                "the files, and set `HF_HUB_OFFLINE` for a model server"
            ),
            object=policies[0].number,
            confidence="likely",
            related=(RelatedPlace(pod.object.number, download.path, "what is downloaded"),),
        )
        return


def _may_be_outside(peer: dict[str, Any], home: str) -> bool:
    """Return whether a peer may be outside of the cluster, or of its private networks."""
    if "ipBlock" not in peer:
        return False
    try:
        return not ip_network(text(mapping(peer["ipBlock"]).get("cidr")), strict=False).is_private
    except ValueError:
        return True
