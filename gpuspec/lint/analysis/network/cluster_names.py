"""Names in the cluster's DNS that pods look up: those of Services, and those that operators set.

Sources: LeaderWorkerSet, pkg/utils/pod/pod_utils.go; training-operator 1.9,
pkg/controller.v1/pytorch; KubeRay 1.7, ray-operator/controllers/ray/common/pod.go (FQ_RAY_IP, and
the init container that waits for the head).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gpuspec.manifests.values import mapping

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Pod

_NAME = re.compile(
    r"(?<![-.\w])[a-z0-9](?:[-.a-z0-9]*[a-z0-9])?\.svc(?:\.cluster\.local)?(?![-.\w])"
)
_LEADER = "LWS_LEADER_ADDRESS"


def names_in(container: PodContainer) -> Iterator[tuple[str, Path]]:
    """Yield the names of Services in a container's settings, and the leader's name, which is
    one."""
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


def name_by_operator(pod: Pod) -> str | None:
    """Return the name that an operator sets in its pods for the address of the first."""
    owner, role = pod.object, pod.role.name
    several = len(owner.pods) > 1 or (pod.role.count or 0) > 1
    if not several:
        return None
    if owner.is_a("kubeflow.org", "PyTorchJob"):
        master = "Master" in mapping(owner.spec.get("pytorchReplicaSpecs"))
        return "the Master's name, which its operator sets" if master else None
    if owner.group == "ray.io" and role != "submitter":
        return "the head's name, which KubeRay sets" if role != "head" else None
    return None
