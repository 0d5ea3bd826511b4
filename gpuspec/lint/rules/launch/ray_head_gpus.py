"""A Ray head without a GPU of its own that may offer those of its node."""

from collections.abc import Iterator

from gpuspec.lint.analysis.gangs.rays import group_of
from gpuspec.lint.analysis.placement.placing import in_all
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests.values import mapping
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import tolerations

RULE = Rule(
    "GPU737",
    "ray-head-gpus",
    "info",
    "A Ray head without a GPU may advertise its node's GPUs",
    fix="unsafe",
)
_PLACES = ("topology.", "failure-domain.", "kubernetes.io/hostname")
_GPU_TAGS = ("-gpu", "cuda", "cu11", "cu12", "cu13")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield heads with an image for GPUs, in a cluster whose workers have them."""
    group = group_of(pod)
    if group is None or not group.head or pod.has_gpu or pod.claims or not pod.containers:
        return
    params = mapping(group.value.get("rayStartParams"))
    if "num-gpus" in params or group.value.get("resources"):
        return
    image = pod.containers[0].image
    if not any(sibling.has_gpu for sibling in pod.object.pods):
        return
    if not any(tag in image.rpartition("/")[2] for tag in _GPU_TAGS):
        return
    if _is_kept_off(pod, context) or _is_apart(pod):
        return
    path = (*group.path, "rayStartParams", "num-gpus")
    yield RawFinding(
        path,
        "the head requests no GPU, but Ray may still find some: on a GPU node whose runtime "
        "shows all devices, Ray gives tasks GPUs that belong to other pods",
        fix=Fix("set `num-gpus` to 0", (Put(path, "0"),)),
        confidence="possible",
    )


def _is_kept_off(pod: Pod, context: Context) -> bool:
    """Return whether all GPU nodes of the profile have a taint, and the head tolerates nothing."""
    pools = context.placed
    return bool(pools) and all(pool.pool.taints for pool in pools) and not tolerations(pod)


def _is_apart(head: Pod) -> bool:
    """Return whether the cluster's GPU workers select other nodes than the head, by a label that
    tells pools apart."""
    head_labels = _selected(head)
    return all(
        any(
            not head_labels[key] & values
            for key, values in _selected(worker).items()
            if key in head_labels
        )
        for worker in head.object.pods
        if worker.has_gpu
    )


def _selected(pod: Pod) -> dict[str, set[str]]:
    """Return the values of labels that each of its nodes has; a zone or a host may have both kinds
    of node."""
    return {
        requirement.key: set(requirement.values)
        for requirement in in_all(pod)
        if requirement.operator == "In" and not requirement.key.startswith(_PLACES)
    }
