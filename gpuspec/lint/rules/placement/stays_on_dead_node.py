"""A server that no failure of its node moves."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import text
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import tolerations

RULE = Rule(
    "GPU843",
    "stays-on-dead-node",
    "warning",
    "A server tolerates every taint indefinitely and stays on a dead node",
)
# Of these a pod is made anew elsewhere once it is evicted, and not before.
_REPLACED = (("apps", "Deployment"), ("apps", "ReplicaSet"), ("", "ReplicationController"))


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield pods with GPUs whose controllers replace evicted pods."""
    obj = pod.object
    if not pod.has_gpu or (obj.group, obj.kind) not in _REPLACED:
        return
    listed = tolerations(pod)
    if any(
        toleration.get("tolerationSeconds") is not None
        for toleration in listed
        if not toleration.get("key")
    ):
        return
    for index, toleration in enumerate(listed):
        if toleration.get("operator") != "Exists" or toleration.get("key"):
            continue
        if toleration.get("effect") not in (None, "", "NoExecute") or _ends(listed):
            continue
        yield RawFinding(
            pod.path("tolerations", index),
            "a toleration without a key also covers `unreachable` and `not-ready` nodes: when the node "
            "fails, the pod is not replaced until the node is deleted",
            note="set `key` to that of the GPU nodes' taint, such as `nvidia.com/gpu`",
        )
        return


def _ends(listed: list[dict[str, object]]) -> bool:
    """Return whether the two taints of a node that is gone are tolerated for a time of their
    own."""
    keys = {
        text(toleration.get("key"))
        for toleration in listed
        if toleration.get("tolerationSeconds") is not None
    }
    return {"node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready"} <= keys
