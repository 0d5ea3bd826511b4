"""Names of the cluster, asked for from the node's network, whose DNS does not have them."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.gangs.first_rank import first_rank
from gpuspec.lint.analysis.network.cluster_names import name_by_operator, names_in
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests import Path
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU762",
    "host-network-dns",
    "warning",
    "A host-network pod resolves a cluster name through the node's DNS",
    fix="unsafe",
)
_POLICY = "ClusterFirstWithHostNet"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield pods with `hostNetwork` and the default DNS policy, in objects with accelerators."""
    if pod.spec.get("hostNetwork") is not True or pod.spec.get("dnsConfig"):
        return
    if pod.spec.get("dnsPolicy", "ClusterFirst") != "ClusterFirst":
        return
    owner = pod.object
    if owner.traits.mpi or owner.is_a("batch.volcano.sh", "Job"):
        # The operator and the webhook of these set the policy.
        return
    if not any(sibling.has_gpu or sibling.claims for sibling in owner.pods):
        return
    named_service = next(
        (name_and_path for container in pod.every for name_and_path in names_in(container)), None
    ) or _given(pod, context)
    if named_service is None:
        return
    name, where = named_service
    path = pod.path("dnsPolicy")
    policy_text = "`dnsPolicy: ClusterFirst`" if "dnsPolicy" in pod.spec else "no `dnsPolicy`"
    yield RawFinding(
        path,
        f"with `hostNetwork` and {policy_text} the pod uses the node's DNS, which cannot resolve "
        f"{name}",
        fix=set_field(path, _POLICY),
        confidence="likely",
        related=(RelatedPlace(pod.object.number, where, "calls it"),) if where else (),
    )


def _given(pod: Pod, context: Context) -> tuple[str, Path] | None:
    """Return the host name of rank 0, as written, or as an operator sets it in all pods of a run."""
    rank_zero = first_rank(pod)
    if rank_zero is not None and rank_zero.service:
        return f"`{rank_zero.host}.{rank_zero.service}`", rank_zero.path
    operator_name = name_by_operator(pod)
    return None if operator_name is None else (operator_name, ())
