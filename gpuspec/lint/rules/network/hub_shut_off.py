"""NetworkPolicies that let a model server reach its own cluster only, although it downloads its model."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network
from typing import Any

from gpuspec.lint.analysis.gangs.policies import PolicyPort, Selected, isolating, lets
from gpuspec.lint.analysis.network.callers import has_other_policies
from gpuspec.lint.analysis.serving.hub import downloads
from gpuspec.lint.analysis.serving.servers import gpu_workers, server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Related, Rule
from gpuspec.manifests.values import mapping, text
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU879",
    "hub-shut-off",
    "warning",
    "A NetworkPolicy blocks the hub from which a server downloads its model",
    gives_way=("GPU897",),
)
_HTTPS = PolicyPort(443)
_NEARER = ("HF_ENDPOINT", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "HF_HOME_PROXY")
"""Variables that lead to another hub, or to it by another way."""


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield servers that download at their start, by the policies for their way out."""
    collection = context.collection
    if ("networking.k8s.io", "NetworkPolicy") not in collection.kinds:
        return
    if pod.spec.get("hostNetwork") is True or has_other_policies(collection):
        return
    target = Selected.of(pod)
    policies = isolating(target, "Egress", collection)
    if not policies or lets(target, "Egress", _may_be_outside, _HTTPS, collection):
        return
    for container in gpu_workers(pod):
        server = None if _goes_elsewhere(container) else server_of(container)
        model = None if server is None else downloads(container, server)
        if model is not None:
            yield RawFinding(
                policies[0].path("spec", "egress"),
                f"the policy blocks {pod.object.kind} `{pod.object.name}` from the hub (port 443 "
                f"outside the cluster), from which the pod downloads {model.name}: the server "
                "never starts",
                note="allow `{ipBlock: {cidr: 0.0.0.0/0}}` with port 443, or mount the weights and "
                "set `HF_HUB_OFFLINE`",
                object=policies[0].number,
                confidence="likely",
                related=(Related(pod.object.number, model.path, "the downloaded model"),),
            )
            return


def _goes_elsewhere(container: PodContainer) -> bool:
    return bool(container.value.get("envFrom")) or any(name in container.env for name in _NEARER)


def _may_be_outside(peer: dict[str, Any], home: str) -> bool:
    """Return whether a peer may be outside of the cluster, or of its private networks."""
    if "ipBlock" not in peer:
        return False
    try:
        return not ip_network(text(mapping(peer["ipBlock"]).get("cidr")), strict=False).is_private
    except ValueError:
        return True
