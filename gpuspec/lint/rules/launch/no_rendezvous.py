"""A launcher of several nodes that nothing tells where they meet, or which of them it is."""

from collections.abc import Iterator

import msgspec

from gpuspec.lint.context import Context
from gpuspec.lint.model import Found, Rule
from gpuspec.lint.subjects.serving.servers import server_of
from gpuspec.manifests.values import mapping, whole
from gpuspec.objects.containers import Container
from gpuspec.objects.launch import Launch, launch_of
from gpuspec.objects.objects import Pod
from gpuspec.objects.words import Flag

RULE = Rule(
    "GPU756",
    "no-rendezvous",
    "error",
    "A launcher of several nodes is not told where they meet, or each is told that it is the same one",
)


class Way(msgspec.Struct, frozen=True):
    """By which options and variables the ranks of a program find each other."""

    address: tuple[str, ...]
    rank: tuple[str, ...]
    told: tuple[str, ...] = ()
    """Variables that say where."""
    numbered: tuple[str, ...] = ()
    """Variables that say which."""


_WAYS = {
    "torchrun": Way(
        ("--rdzv-endpoint", "--master-addr"),
        ("--node-rank",),
        ("PET_RDZV_ENDPOINT", "PET_MASTER_ADDR"),
        ("PET_NODE_RANK",),
    ),
    "accelerate": Way(("--main-process-ip",), ("--machine-rank",)),
    "sglang": Way(("--dist-init-addr", "--nccl-init-addr"), ("--node-rank",)),
    "vllm": Way(("--master-addr",), ("--node-rank",)),
}
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


def check(pod: Pod, context: Context) -> Iterator[Found]:
    """Containers with accelerators whose launcher or server expects several nodes."""
    owner = pod.object
    if (owner.group, owner.kind) not in _KINDS:
        return
    for container in pod.gpu_containers:
        launch = launch_of(container)
        name, nodes = _program(container, launch)
        way = _WAYS.get(name)
        count = _nodes(pod, launch, nodes)
        if way is not None and count > 1 and not _is_open(container):
            yield from _judge(pod, container, name, way, count)


def _program(container: Container, launch: Launch | None) -> tuple[str, Flag | None]:
    if launch is not None:
        return ("" if launch.told else launch.program), launch.nodes
    server = server_of(container)
    return ("" if server is None else server.name), container.words.flag("--nnodes")


def _nodes(pod: Pod, launch: Launch | None, flag: Flag | None) -> int:
    if launch is not None and launch.nodes is not None:
        return launch.most_nodes or 0
    if flag is not None:
        return flag.number or 0
    if launch is None or launch.program != "torchrun" or pod.object.kind != "PyTorchJob":
        return 0
    # Its operator tells torchrun how many there are.
    return sum(other.role.count or 0 for other in pod.object.pods)


def _is_open(container: Container) -> bool:
    """Whether words or variables come from elsewhere, an address among them perhaps."""
    if container.value.get("envFrom"):
        return True
    before = ""
    for word in container.words:
        is_value = before.startswith("-") and "=" not in before
        if "$@" in word.text or (word.text.startswith("$") and not is_value):
            return True
        if word.text.startswith(("PET_", "MASTER_ADDR=")):
            return True
        before = word.text
    return False


def _judge(pod: Pod, container: Container, name: str, way: Way, count: int) -> Iterator[Found]:
    words, many = container.words, _pods(pod)
    address, rank = words.flag(*way.address), words.flag(*way.rank)
    nodes = words.flag("--nnodes", "--num-machines")
    launch = launch_of(container)
    at = nodes.path if nodes else launch.word.path if launch else container.path("command")
    if words.flag("--standalone") is not None:
        return
    where = address is not None or any(each in container.env for each in way.told)
    if not where and not _operator_tells(pod, name):
        yield Found(
            at,
            f"nothing here tells the {count} nodes where they meet: each waits at its own address for the "
            "others, with its GPUs, until the time is up",
            note=_note(pod, way),
            confidence="likely",
        )
    elif address is not None and many > 1 and _host(address) in _HERE:
        yield Found(
            address.path,
            f"`{address.name} {address.value}` is each pod itself: the {count} nodes never meet, and "
            "hold their GPUs until the time is up",
        )
    elif rank is not None and rank.number is not None and many > 1 and not _numbers(container):
        yield Found(
            rank.path,
            f"`{rank.name} {rank.value}` makes all {many} pods the same node of {count}: they wait "
            "for the others, with their GPUs, until the time is up",
        )


def _numbers(container: Container) -> bool:
    """Whether the rendezvous gives the nodes their numbers."""
    backend = container.words.flag("--rdzv-backend")
    if backend is not None:
        return backend.value != "static"
    return "PET_RDZV_BACKEND" in container.env


def _operator_tells(pod: Pod, name: str) -> bool:
    """Whether the operator of a PyTorchJob names its master, or a rendezvous, to torchrun."""
    owner = pod.object
    if owner.kind != "PyTorchJob":
        return False
    roles = mapping(owner.spec.get("pytorchReplicaSpecs"))
    return name != "torchrun" or "Master" in roles or bool(owner.spec.get("elasticPolicy"))


def _pods(pod: Pod) -> int:
    """The pods that start with these words and are of one run."""
    if pod.object.group == "apps":
        return whole(pod.object.spec.get("replicas"), 1) or 0
    return pod.role.count or 0


def _host(flag: Flag) -> str:
    host = (flag.value or "").strip()
    return host if host in _HERE else host.rpartition(":")[0] or host


def _note(pod: Pod, way: Way) -> str:
    said = f"name the first of them: `{way.address[0]}`"
    if pod.object.kind == "PyTorchJob":
        return f"`elasticPolicy` or a `Master` has the operator name one; or {said}"
    return said
