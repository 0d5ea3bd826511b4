"""The rendezvous of the ranks of a run: settings of launchers and multi-node servers.

Sources: PyTorch, torch/distributed/run.py and elastic/rendezvous; Accelerate, commands/launch.py
and utils/launch.py; SGLang, server arguments; vLLM, engine/arg_utils.py and config/parallel.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from gpuspec.lint.analysis.reading.mounted import mounted
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.manifests.values import mapping
from gpuspec.objects.command_line import Flag
from gpuspec.objects.launch import launch_of

if TYPE_CHECKING:
    from gpuspec.manifests import Path
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Object, Pod

Program = Literal["torchrun", "accelerate", "sglang", "vllm", "vllm ranks"]


class Way(msgspec.Struct, frozen=True):
    """The options and variables for the rendezvous of a program."""

    title: str
    nodes: tuple[str, ...]
    address: tuple[str, ...]
    rank: tuple[str, ...]
    told: tuple[str, ...] = ()
    """Variables with the address."""
    numbered: tuple[str, ...] = ()
    """Variables with the rank."""


WAYS: dict[Program, Way] = {
    "torchrun": Way(
        "torchrun",
        ("--nnodes",),
        ("--rdzv-endpoint", "--master-addr"),
        ("--node-rank",),
        ("PET_RDZV_ENDPOINT", "PET_MASTER_ADDR"),
        ("PET_NODE_RANK",),
    ),
    "accelerate": Way(
        "Accelerate", ("--num-machines",), ("--main-process-ip",), ("--machine-rank",)
    ),
    "sglang": Way(
        "SGLang", ("--nnodes",), ("--dist-init-addr", "--nccl-init-addr"), ("--node-rank",)
    ),
    "vllm": Way("vLLM", ("--nnodes",), ("--master-addr",), ("--node-rank",)),
    "vllm ranks": Way(
        "vLLM",
        ("--data-parallel-size", "-dp"),
        ("--data-parallel-address", "-dpa", "--master-addr"),
        ("--data-parallel-rank", "-dpn", "--data-parallel-start-rank", "-dpr"),
    ),
}
_ALL_BACKENDS = "*"


class Rendezvous(msgspec.Struct, frozen=True):
    """The rendezvous settings of a container's ranks."""

    program: Program
    nodes: int
    path: Path
    """The path of the number of nodes."""
    address: Flag | None
    rank: Flag | None
    has_address: bool
    """Whether an option or a variable has the address."""
    has_rank: bool
    """Whether an option, a variable or the rendezvous itself sets the rank."""
    ignored: Flag | None = None
    """An address that the chosen rendezvous does not read."""
    file: Object | None = None
    """The ConfigMap with a part of it."""

    @property
    def way(self) -> Way:
        """The options for it."""
        return WAYS[self.program]


def meeting_of(pod: Pod, container: PodContainer, collection: Collection) -> Rendezvous | None:
    """Return the rendezvous settings of a program on several nodes; None if they are unknown."""
    launch = launch_of(container)
    if _is_open(container):
        return None
    if launch is None:
        return _of_server(container)
    if launch.program == "torchrun":
        return None if launch.told else _of_torchrun(pod, container)
    return _of_accelerate(pod, container, collection) if launch.program == "accelerate" else None


def _of_server(container: PodContainer) -> Rendezvous | None:
    server, words = server_of(container), container.words
    if server is None or server.name not in ("sglang", "vllm"):
        return None
    program: Program = "sglang" if server.name == "sglang" else "vllm"
    nodes = words.flag("--nnodes")
    if nodes is None and program == "vllm":
        return _of_ranks(container)
    return None if nodes is None else _told(container, program, nodes, nodes.number or 0)


def _of_ranks(container: PodContainer) -> Rendezvous | None:
    """Return data-parallel ranks of vLLM on several nodes, each of which starts and serves by
    itself."""
    words = container.words
    size, local = (
        words.flag("--data-parallel-size", "-dp"),
        words.flag("--data-parallel-size-local", "-dpl"),
    )
    backend = words.flag("--data-parallel-backend", "-dpb")
    if size is None or (backend is not None and backend.value != "mp"):
        return None
    flag = words.flag("--data-parallel-rank", "-dpn")
    local_ranks = 1 if flag is not None else None if local is None else local.number
    number = size.number
    if not number or not local_ranks or local_ranks >= number:
        return None
    rendezvous = _told(container, "vllm ranks", size, number // local_ranks)
    # The first node needs no number.
    return (
        msgspec.structs.replace(rendezvous, has_rank=True)
        if rendezvous.rank is None
        else rendezvous
    )


def _of_torchrun(pod: Pod, container: PodContainer) -> Rendezvous | None:
    words, owner = container.words, pod.object
    flag = words.flag("--nnodes")
    launch = launch_of(container)
    if launch is None or words.flag("--standalone") is not None:
        return None
    is_pytorch = owner.is_a("kubeflow.org", "PyTorchJob")
    if flag is not None:
        nodes = launch.most_nodes or 0
    else:
        # Its operator tells torchrun how many there are.
        nodes = sum(replica.role.count or 0 for replica in owner.pods) if is_pytorch else 0
    at = flag or Flag("", None, launch.word.path)
    rendezvous = _told(container, "torchrun", at, nodes)
    backend = _backend(pod, container)
    roles = mapping(owner.spec.get("pytorchReplicaSpecs")) if is_pytorch else {}
    elastic = bool(is_pytorch and owner.spec.get("elasticPolicy"))
    endpoint = words.flag("--rdzv-endpoint")
    if backend in ("static", _ALL_BACKENDS):
        master = "Master" in roles
        return msgspec.structs.replace(
            rendezvous,
            has_address=rendezvous.has_address or master or elastic,
            has_rank=rendezvous.has_rank or master or backend == _ALL_BACKENDS,
        )
    return msgspec.structs.replace(
        rendezvous,
        address=endpoint,
        has_address=endpoint is not None or "PET_RDZV_ENDPOINT" in container.env or elastic,
        rank=None,
        has_rank=True,
        ignored=words.flag("--master-addr") if endpoint is None else None,
    )


def _backend(pod: Pod, container: PodContainer) -> str:
    """Return the rendezvous that torchrun uses; `*` if it is unknown."""
    flag = container.words.flag("--rdzv-backend")
    if flag is not None:
        value = flag.value or ""
    elif "PET_RDZV_BACKEND" in container.env:
        value = container.env_value("PET_RDZV_BACKEND") or ""
    elif pod.object.is_a("kubeflow.org", "PyTorchJob") and pod.object.spec.get("elasticPolicy"):
        value = "c10d"
    else:
        return "static"
    return value if value and not value.startswith("$") else _ALL_BACKENDS


def _of_accelerate(pod: Pod, container: PodContainer, collection: Collection) -> Rendezvous | None:
    words = container.words
    file = words.flag("--config-file")
    settings: dict[str, Any] = {}
    source: Object | None = None
    if file is not None:
        mounted_file = mounted(pod, container, file.value or "", collection)
        if mounted_file is None:
            # In the image, perhaps, or on a volume.
            return None
        settings, source = mounted_file.settings, mounted_file.object
    arguments = {**settings, **_flags(container)}
    if _starts_over_ssh(container, settings):
        return None
    at = words.flag("--num-machines") or file
    machines = arguments.get("num_machines", 1)
    if at is None or not isinstance(machines, int):
        return None
    where = file.path if file is not None else at.path
    address, rank = (
        words.flag(option) or _setting(settings, name, where)
        for option, name in (
            ("--main-process-ip", "main_process_ip"),
            ("--machine-rank", "machine_rank"),
        )
    )
    return Rendezvous(
        "accelerate",
        machines,
        at.path,
        address,
        rank,
        has_address=address is not None,
        has_rank=rank is not None,
        file=source,
    )


def _flags(container: PodContainer) -> dict[str, Any]:
    machines = container.words.flag("--num-machines")
    return {} if machines is None else {"num_machines": machines.number}


def _setting(settings: dict[str, Any], name: str, where: Path) -> Flag | None:
    value = settings.get(name)
    return None if value is None else Flag(name, str(value), where)


def _starts_over_ssh(container: PodContainer, settings: dict[str, Any]) -> bool:
    """Return whether DeepSpeed's own launcher starts the other nodes, which it does except with
    `standard`."""
    words = container.words
    deepspeed = mapping(settings.get("deepspeed_config"))
    if words.flag("--use-deepspeed") is None and settings.get("distributed_type") != "DEEPSPEED":
        return False
    flag = words.flag("--deepspeed-multinode-launcher")
    launcher = deepspeed.get("deepspeed_multinode_launcher") if flag is None else flag.value
    return launcher != "standard"


def _told(container: PodContainer, program: Program, nodes: Flag, number: int) -> Rendezvous:
    way, words = WAYS[program], container.words
    address, rank = words.flag(*way.address), words.flag(*way.rank)
    return Rendezvous(
        program,
        number,
        nodes.path,
        address,
        rank,
        has_address=address is not None or any(name in container.env for name in way.told),
        has_rank=rank is not None or any(name in container.env for name in way.numbered),
    )


def _is_open(container: PodContainer) -> bool:
    """Return whether words or variables come from elsewhere, and may include an address."""
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
