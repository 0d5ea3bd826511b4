"""A multi-node launcher without a rendezvous address or its own rank."""

from collections.abc import Iterator

from gpuspec.lint.analysis.gangs.meeting import Rendezvous, meeting_of
from gpuspec.lint.analysis.security.users import mount_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import whole
from gpuspec.objects.command_line import Flag
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.launch import launch_of
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU756",
    "no-rendezvous",
    "error",
    "A multi-node launcher has no rendezvous address, or every node has the same rank",
)
_HERE = ("localhost", "127.0.0.1", "::1", "[::1]")
# Whose controllers add nothing, or what is looked at here.
_KINDS = {
    ("apps", "Deployment"),
    ("apps", "ReplicaSet"),
    ("apps", "StatefulSet"),
    ("batch", "Job"),
    ("batch.volcano.sh", "Job"),
    ("jobset.x-k8s.io", "JobSet"),
    ("kubeflow.org", "PyTorchJob"),
    ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"),
}
_HOSTS = "/job/hostfile"
_WAIT = "holding their GPUs until the timeout"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield containers with accelerators whose launcher or server expects several nodes."""
    owner = pod.object
    yield from _without_hosts(pod)
    if (owner.group, owner.kind) not in _KINDS:
        return
    for container in pod.gpu_containers:
        yield from _alone(container)
        meeting = meeting_of(pod, container, context.collection)
        if meeting is not None and meeting.nodes > 1:
            yield from _judge(pod, container, meeting, context)


def _alone(container: PodContainer) -> Iterator[RawFinding]:
    """Yield torchrun commands for several nodes whose rendezvous is in the pod itself."""
    launch = launch_of(container)
    flag = container.words.flag("--standalone")
    if launch is None or launch.program != "torchrun" or flag is None:
        return
    if launch.nodes is not None and (launch.least_nodes or 0) > 1:
        yield RawFinding(
            flag.path,
            f"`--standalone` makes each pod its own rendezvous, but `{launch.nodes.name} "
            f"{launch.nodes.value}` waits for other pods: the pods never meet, {_WAIT}",
            note="replace `--standalone` by `--rdzv-backend=c10d --rdzv-endpoint=HOST:29500`",
        )


def _without_hosts(pod: Pod) -> Iterator[RawFinding]:
    """Yield DeepSpeed's launcher, which ends at its start where no file names the other nodes."""
    for container in pod.containers:
        launch = launch_of(container)
        if launch is None or launch.program != "deepspeed" or launch.told or launch.nodes is None:
            continue
        nodes = launch.nodes.number or 0
        if nodes < 2 or mount_of(container, _HOSTS) is not None:
            continue
        if any(_HOSTS in word.text for word in container.words):
            # The script writes it.
            continue
        yield RawFinding(
            launch.nodes.path,
            f"`{launch.nodes.name} {nodes}` needs a file that lists the other nodes, but "
            f"there is no `{_HOSTS}`: DeepSpeed exits at startup",
            note="add `--hostfile` (`/etc/mpi/hostfile` in an MPIJob), or start each node with "
            "`torchrun`",
            confidence="likely",
        )


def _judge(
    pod: Pod, container: PodContainer, rendezvous: Rendezvous, context: Context
) -> Iterator[RawFinding]:
    address, rank, count, pods = rendezvous.address, rendezvous.rank, rendezvous.nodes, _pods(pod)
    if not rendezvous.has_address:
        yield _nowhere(pod, container, rendezvous)
    elif address is not None and pods > 1 and _host(address) in _HERE:
        yield RawFinding(
            address.path,
            f"`{address.name} {address.value}` means each pod itself: the {count} nodes never "
            "meet and hold their GPUs until the timeout",
            note=f"set `{address.name}` to the address of the first pod",
            related=_file(rendezvous),
        )
    elif rank is not None and rank.number is not None and pods > 1:
        yield RawFinding(
            rank.path,
            f"`{rank.name} {rank.value}` gives all {pods} pods the same rank among {count} "
            f"nodes: the pods wait for nodes that never join, {_WAIT}",
            note=f"set `{rank.name}` from the number of each pod, such as `$(JOB_COMPLETION_INDEX)`",
            related=_file(rendezvous),
        )
    elif not rendezvous.has_rank:
        yield from _unnumbered(pod, rendezvous, context)


def _nowhere(pod: Pod, container: PodContainer, rendezvous: Rendezvous) -> RawFinding:
    count = rendezvous.nodes
    if rendezvous.ignored is not None:
        return RawFinding(
            rendezvous.ignored.path,
            f"only the static rendezvous reads `{rendezvous.ignored.name}`, but another "
            f"rendezvous is chosen: each of the {count} nodes waits at its own address for the "
            f"others, {_WAIT}",
            note="add `--rdzv-endpoint` with the address of the first pod",
        )
    if rendezvous.program == "accelerate":
        becomes = "Accelerate looks for a host named `None` and exits at startup"
    else:
        becomes = f"each node waits at its own address for the others, {_WAIT}"
    return RawFinding(
        rendezvous.path,
        f"the {count} nodes have no rendezvous address: {becomes}",
        note=_note(pod, container, rendezvous),
        confidence="likely",
        related=_file(rendezvous),
    )


def _unnumbered(pod: Pod, rendezvous: Rendezvous, context: Context) -> Iterator[RawFinding]:
    """Yield pods that take themselves for the first, since nothing gives them a number."""
    alike = [sibling for sibling in pod.object.pods if _has_no_number(sibling, rendezvous, context)]
    pod_count = sum(map(_pods, alike))
    if pod_count < 2 or alike[-1] is not pod:
        return
    option = rendezvous.way.rank[0]
    if rendezvous.program == "accelerate":
        message = f"the {pod_count} pods have no rank: Accelerate exits at startup"
    else:
        message = (
            f"the {pod_count} pods have no rank: each pod acts as node 0 of {rendezvous.nodes} and "
            f"waits for the others, {_WAIT}"
        )
    yield RawFinding(
        rendezvous.path,
        message,
        note=f"give each pod its own rank: `{option}`",
        confidence="likely",
        related=_file(rendezvous),
    )


def _has_no_number(pod: Pod, rendezvous: Rendezvous, context: Context) -> bool:
    all_rendezvous = (
        meeting_of(pod, gpu_container, context.collection) for gpu_container in pod.gpu_containers
    )
    return any(
        other_rendezvous is not None
        and other_rendezvous.program == rendezvous.program
        and not other_rendezvous.has_rank
        for other_rendezvous in all_rendezvous
    )


def _file(rendezvous: Rendezvous) -> tuple[RelatedPlace, ...]:
    if rendezvous.file is None:
        return ()
    return (
        RelatedPlace(
            rendezvous.file.number, rendezvous.file.path("data"), "which the launcher reads"
        ),
    )


def _pods(pod: Pod) -> int:
    """Return the pods that start with these words and are of one run."""
    if pod.object.group == "apps":
        return whole(pod.object.spec.get("replicas"), 1) or 0
    return pod.role.count or 0


def _host(flag: Flag) -> str:
    host = (flag.value or "").strip()
    return host if host in _HERE else host.rpartition(":")[0] or host


def _note(pod: Pod, container: PodContainer, rendezvous: Rendezvous) -> str:
    option = rendezvous.way.address[0]
    if rendezvous.program == "torchrun" and "MASTER_ADDR" in container.env:
        return (
            f"set `PET_MASTER_ADDR`, since torchrun does not read `MASTER_ADDR`, or add `{option}`"
        )
    advice = f"name the first pod in `{option}`"
    if pod.object.kind == "PyTorchJob":
        return f"add `elasticPolicy` or a `Master`, for which the operator sets the address, or {advice}"
    return advice
