"""A pod that selects GPU nodes and requests no GPU."""

from collections.abc import Iterator

from gpuspec import hardware
from gpuspec.fleet.match import Requirement
from gpuspec.lint.analysis.placement.asking import asks_for_gpu
from gpuspec.lint.analysis.placement.instances import FAMILY, TYPE
from gpuspec.lint.analysis.placement.placing import (
    gpu_toleration,
    in_all,
    pins,
    requirement_path,
)
from gpuspec.lint.analysis.placement.taints import kept_off, unasked_taint
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole, tolerations

RULE = Rule(
    "GPU105",
    "selector-without-device",
    "warning",
    "A pod selects GPU nodes but requests no device",
    gives_way=("GPU101", "GPU103", "GPU203"),
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield a selector for GPU nodes, and neither device nor claim."""
    if asks_for_gpu(pod) or not is_whole(pod) or not _is_work(pod):
        return
    bound = pins(pod, context) or _machines(pod)
    if not bound or kept_off(pod, context):
        return
    first = bound[0]
    for container in pod.containers:
        maker = hardware.vendor(hardware.built_for(container.image) or "")
        if maker is None:
            continue
        yield RawFinding(
            container.path("resources", "limits"),
            f"`{first.key}` selects GPU nodes and the image is built for {maker.title}, but no container "
            "requests a device: the program finds none",
            note="add the device to `resources.limits`",
            confidence="likely",
        )
        return
    zero = any(container.devices for container in pod.every)
    yield RawFinding(
        requirement_path(pod, first),
        f"`{first.key}` restricts the pod to GPU nodes, but "
        + ("its containers request 0 devices" if zero else "no container requests a device")
        + f": {_outcome(pod, context, first.key)}",
        note="add the device to `resources.limits` of the container that computes, or remove the "
        "selector",
        # Whoever lets it onto these nodes by name may want it there: a cache, a build, what warms them.
        severity="info" if gpu_toleration(pod, context) is not None else None,
        confidence="likely",
    )


def _machines(pod: Pod) -> list[Requirement]:
    """Return instance types and families that it requires, of which each has accelerators."""
    return [
        requirement
        for requirement in in_all(pod)
        if requirement.key in (*TYPE, *FAMILY)
        and requirement.operator == "In"
        and requirement.values
        and all(map(_has_gpus, requirement.values))
    ]


def _has_gpus(name: str) -> bool:
    """Return whether a machine, or each machine of a family, has accelerators."""
    instances = hardware.instances().get(name) or tuple(filter(None, [hardware.instance(name)]))
    if instances:
        return all(instance.gpus for instance in instances)
    return bool(hardware.machine_models(name) or hardware.family_models(name))


def _outcome(pod: Pod, context: Context, key: str) -> str:
    """Return the consequence; a pod without tolerations can run on nodes without taints."""
    unasked = unasked_taint(pod, context, key)
    if unasked is not None:
        provider, taint = unasked
        return (
            f"the pod stays Pending, since {provider.title} taints GPU nodes `{taint}` and adds "
            "the toleration only to pods that request a device"
        )
    idle = "the pod runs on a GPU node without a GPU"
    if context.placed or tolerations(pod):
        return idle
    return f"{idle}, or stays Pending if the nodes are tainted"


def _is_work(pod: Pod) -> bool:
    """Return daemons look after GPU nodes; who enters the host does so too; a launcher starts
    others."""
    owner = pod.object
    if owner.is_a("apps", "DaemonSet") or owner.namespace in ("kube-system", "gpu-operator"):
        return False
    if pod.spec.get("hostPID") is True or any(
        container.security.get("privileged") is True for container in pod.every
    ):
        return False
    return not any(
        sibling.has_gpu or sibling.claims for sibling in owner.pods if sibling is not pod
    )
