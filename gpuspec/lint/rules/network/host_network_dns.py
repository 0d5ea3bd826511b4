"""Names of the cluster, asked for from the node's network, whose DNS does not have them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuspec.lint.analysis.gangs.first_rank import first_rank
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Related, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import mapping
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU762",
    "host-network-dns",
    "warning",
    "A host-network pod resolves a cluster name through the node's DNS",
    fix="unsafe",
)
_POLICY = "ClusterFirstWithHostNet"
_NAME = re.compile(
    r"(?<![-.\w])[a-z0-9](?:[-.a-z0-9]*[a-z0-9])?\.svc(?:\.cluster\.local)?(?![-.\w])"
)
_LEADER = "LWS_LEADER_ADDRESS"


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
    if not any(other.has_gpu or other.claims for other in owner.pods):
        return
    found = next((each for container in pod.every for each in _names(container)), None) or _given(
        pod, context
    )
    if found is None:
        return
    name, where = found
    path = pod.path("dnsPolicy")
    written = "`dnsPolicy: ClusterFirst`" if "dnsPolicy" in pod.spec else "no `dnsPolicy`"
    yield RawFinding(
        path,
        f"with `hostNetwork` and {written} the pod uses the node's DNS, which does not "
        f"have {name}: it cannot resolve the name",
        fix=Fix("use the cluster's DNS", (Put(path, _POLICY),)),
        confidence="likely",
        related=(Related(pod.object.number, where, "calls it"),) if where else (),
    )


def _names(container: PodContainer) -> Iterator[tuple[str, Path]]:
    """Yield the names of Services in the pod, and the leader's name, which is one."""
    for word in container.words:
        if _LEADER in word.text:
            yield f"the leader's name (`{_LEADER}`)", word.path
        elif match := _NAME.search(word.text):
            yield f"`{match[0]}`", word.path
    for name in container.env:
        value = container.env_value(name)
        match = _NAME.search(value) if value else None
        if match:
            yield f"`{match[0]}`", (*container.env_path(name), "value")


def _given(pod: Pod, context: Context) -> tuple[str, Path] | None:
    """Return the name of rank 0: as it is written, or as an operator gives it to all pods of a
    run."""
    own = first_rank(pod)
    if own is not None and own.service:
        return f"`{own.host}.{own.service}`", own.path
    said = _by_operator(pod, pod.object)
    return None if said is None else (said, ())


def _by_operator(pod: Pod, owner: Object) -> str | None:
    several = len(owner.pods) > 1 or (pod.role.count or 0) > 1
    if not several:
        return None
    role = pod.role.name
    if owner.is_a("kubeflow.org", "PyTorchJob"):
        master = "Master" in mapping(owner.spec.get("pytorchReplicaSpecs"))
        return "the Master's name, which its operator sets" if master else None
    if owner.group == "ray.io" and role != "submitter":
        return "the head's name, which KubeRay sets" if role != "head" else None
    return None
