"""Process launchers on a container's command line: the number of processes and nodes they are told.

Sources: PyTorch, torchrun (torch/distributed/run.py) and launch.py; Accelerate, accelerate launch;
DeepSpeed, deepspeed/launcher/runner.py; torchtune, tests/torchtune/_cli/test_run.py: `tune run`
hands its options to torchrun.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from gpuspec.numbers import read_whole
from gpuspec.objects.command_line import CommandLine, Flag
from gpuspec.objects.lazy import kept

if TYPE_CHECKING:
    from gpuspec.objects.command_line import ArgumentWord
    from gpuspec.objects.containers import PodContainer

Program = Literal["torchrun", "accelerate", "deepspeed"]

_PROGRAMS: dict[str, Program] = {
    "torchrun": "torchrun",
    "torch.distributed.run": "torchrun",
    "torch.distributed.launch": "torchrun",
    "deepspeed": "deepspeed",
    "accelerate": "accelerate",
    "tune": "torchrun",
}
_COMMANDS = {"accelerate": "launch", "tune": "run"}
"""The subcommand that starts processes, for programs with several."""
LAUNCHERS = tuple(name for name in _PROGRAMS if name != "tune")
"""The names of launchers; `tune` is excluded, because it is an ordinary word elsewhere."""
_MPI = ("mpirun", "mpiexec", "horovodrun", "orterun")
_MPI_NUMBER = ("-np", "-n", "--np")
MPI_MAPPING = (
    "-npernode",
    "--npernode",
    "-N",
    "-ppn",
    "--map-by",
    "-map-by",
    "--rankfile",
    "--oversubscribe",
)
"""Flags with which mpirun does not distribute processes by slots."""
_PROCESSES = {
    "torchrun": ("--nproc-per-node",),
    "accelerate": ("--num-processes",),
    "deepspeed": ("--num-gpus",),
}
_NODES = {
    "torchrun": ("--nnodes",),
    "accelerate": ("--num-machines",),
    "deepspeed": ("--num-nodes",),
}


class LauncherCall(msgspec.Struct, frozen=True):
    """A launcher and its settings."""

    program: Program
    word: ArgumentWord
    processes: Flag | None
    """The number as written: per node for torchrun and DeepSpeed, in total for Accelerate."""
    nodes: Flag | None
    told: bool
    """Whether other flags or files may change these settings."""

    @property
    def least_nodes(self) -> int | None:
        """The minimum number of nodes to start; None if it is not set."""
        return self._nodes(0)

    @property
    def most_nodes(self) -> int | None:
        """The maximum number of nodes; larger than the minimum for an elastic job."""
        return self._nodes(-1)

    def _nodes(self, which: int) -> int | None:
        if self.nodes is None:
            return None
        return read_whole((self.nodes.value or "").split(":")[which].strip())


@kept
def drives_one(container: PodContainer) -> bool:
    """Return whether each process uses one of the container's devices. False for devices with
    several cores of their own, and for slices, of which a process sees only one."""
    return bool(container.devices) and all(
        device.what.kind in ("device", "shared") and device.what.vendor not in ("tpu", "neuron")
        for device in container.devices
    )


@kept
def launch_of(container: PodContainer) -> LauncherCall | None:
    """Return the first launcher that a container's command line starts."""
    if container.words.has(*_PROGRAMS) is None:
        return None
    words = container.words.all
    for index, word in enumerate(words):
        name = word.text.rpartition("/")[2]
        program = _PROGRAMS.get(name)
        if program is None or _after(words, index) != _COMMANDS.get(name, _after(words, index)):
            continue
        command_line = CommandLine(_own(words[index + 1 :]))
        return LauncherCall(
            program,
            word,
            command_line.flag(*_PROCESSES[program]),
            command_line.flag(*_NODES[program]),
            told=command_line.flag("--config-file", "--hostfile", "--include", "--exclude")
            is not None,
        )
    return None


def expected_nodes(container: PodContainer) -> int | None:
    """Return the minimum number of nodes that a container's launcher waits for; None if it is not
    set."""
    launch = launch_of(container)
    if launch is not None:
        return launch.least_nodes
    # Servers of several nodes call it as torchrun does.
    flag = container.words.flag("--nnodes")
    return None if flag is None else flag.number


@kept
def mpi_of(container: PodContainer) -> Flag | None:
    """Return the number of processes that the first mpirun on a container's command line starts."""
    if container.words.has(*_MPI) is None:
        return None
    words = container.words.all
    for index, word in enumerate(words):
        if word.text.rpartition("/")[2] in _MPI:
            return CommandLine(words[index : index + 6]).flag(*_MPI_NUMBER) or container.words.flag(
                "-np"
            )
    return None


def _after(words: list[ArgumentWord], index: int) -> str:
    return words[index + 1].text if index + 1 < len(words) else ""


def _own(words: list[ArgumentWord]) -> list[ArgumentWord]:
    """Return the launcher's own words, which end at the script."""
    for index, word in enumerate(words):
        if word.text.endswith(".py") or word.text in ("-m", "--module", "&&", "||", "|", ";", "&"):
            return words[:index]
    return words
