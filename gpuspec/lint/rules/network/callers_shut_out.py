"""NetworkPolicies that shut out callers in the same set."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.gangs.policies import PolicyPort, PolicySelection, isolating, lets
from gpuspec.lint.analysis.network.callers import (
    ExpectedCall,
    calls,
    has_other_policies,
    may_come_from,
    port_of,
)
from gpuspec.lint.analysis.serving.selecting import keeps_labels
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.objects.collection import Collection, PodFacts
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU856",
    "callers-shut-out",
    "warning",
    "A NetworkPolicy blocks the API server, Prometheus or a gateway from the pods they call",
    gives_way=("GPU948",),
)


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Yield webhooks, monitors and routes, and the policies that hold for the pods they lead to."""
    if has_other_policies(collection):
        return
    reported: set[tuple[int | None, str]] = set()
    for call in calls(collection):
        finding = next(_of(call, collection), None)
        # Several webhooks of one configuration lead to one port.
        if finding is not None and (finding.object, finding.message) not in reported:
            reported.add((finding.object, finding.message))
            yield finding


def _of(call: ExpectedCall, collection: Collection) -> Iterator[RawFinding]:
    for pod in call.pods:
        port = port_of(pod, call.port)
        policy = _closed(pod, port, call, collection)
        if policy is not None:
            yield _found(policy, pod, port, call)


def _closed(
    pod: PodFacts, port: PolicyPort, call: ExpectedCall, collection: Collection
) -> Object | None:
    """Return the policy that isolates a pod, if no policy allows the caller."""
    if pod.host_network:
        return None
    target = PolicySelection(pod.namespace, pod.labels, keeps_labels(pod))
    policies = [
        obj
        for obj in isolating(target, "Ingress", collection)
        if obj.namespace or obj.file == pod.file
    ]
    if not policies or lets(
        target,
        "Ingress",
        lambda peer, home: may_come_from(peer, home, call.caller, collection),
        port,
        collection,
    ):
        return None
    return policies[0]


def _found(policy: Object, pod: PodFacts, port: PolicyPort, call: ExpectedCall) -> RawFinding:
    number = port.number or next(iter(port.names), "")
    port_text = f"port {number}" if port.number else f"port `{number}`"
    if call.caller.is_pod:
        note = f"add a rule with `ports: [{{port: {number}}}]`, `from` the namespace of {call.caller.who}"
    else:
        note = (
            f"add a rule with `ports: [{{port: {number}}}]` and no `from`: the caller is not a pod"
        )
    return RawFinding(
        policy.path("spec", "ingress"),
        f"the policy blocks {call.caller.who} from {port_text} of {pod.kind} `{pod.name}`, "
        f"{call.what}: {call.harm}",
        note=note,
        object=policy.number,
        confidence="likely",
        related=(
            RelatedPlace(call.object.number, call.path, "names the called port"),
            RelatedPlace(pod.object, pod.path, "the policy applies to its pods"),
        ),
    )
