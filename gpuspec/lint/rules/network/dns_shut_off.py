"""NetworkPolicies whose rules for the way out leave out DNS, of pods that call others by name."""

from collections.abc import Iterator

from gpuspec.lint.analysis.gangs.policies import PolicySelection, isolating, lets_dns
from gpuspec.lint.analysis.network.callers import has_other_policies
from gpuspec.lint.analysis.network.cluster_names import name_by_operator, names_in
from gpuspec.lint.analysis.network.fetching import fetched
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests import Path
from gpuspec.objects.gangs import gang_of
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU897",
    "dns-shut-off",
    "warning",
    "A NetworkPolicy blocks DNS for pods that call others by name",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield pods that are no gang: of these GPU765 reports it."""
    if ("networking.k8s.io", "NetworkPolicy") not in context.collection.kinds:
        return
    own_network = pod.spec.get("hostNetwork") is not True
    if not own_network or pod.spec.get("hostAliases") or gang_of(pod.object) is not None:
        return
    target = PolicySelection.of(pod)
    policies = isolating(target, "Egress", context.collection)
    if (
        not policies
        or has_other_policies(context.collection)
        or lets_dns(target, context.dns_ports, context.collection)
    ):
        return
    name, path = _called(pod)
    if name is None:
        return
    port, policy = min(context.dns_ports), policies[0]
    yield RawFinding(
        policy.path("spec", "egress"),
        f"the policy blocks DNS (port {port}) for {pod.object.kind} `{pod.object.name}`: the pod "
        f"cannot resolve {name}",
        note=f"add a rule with `ports: [{{protocol: UDP, port: {port}}}, "
        f"{{protocol: TCP, port: {port}}}]`",
        object=policy.number,
        confidence="likely",
        related=(RelatedPlace(pod.object.number, path, "the policy applies to its pods"),),
    )


def _called(pod: Pod) -> tuple[str | None, Path]:
    """Return a host name that the pod uses, and its path."""
    first = name_by_operator(pod)
    if first is not None:
        return first, pod.object.path("metadata", "name")
    for container in pod.every:
        for call in names_in(container):
            return call
    for download in fetched(pod):
        return f"{download.source}, to download {download.thing}", download.path
    return None, ()
