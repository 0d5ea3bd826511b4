"""Launchers that a spec starts itself, in its command or in a shell script, and the options that
they lack.

torchrun takes missing options from the environment; accelerate takes them only from its command
line. The others connect to further pods by ssh, or not at all, which a note says.
"""

import re
from typing import Literal

import msgspec

from gpuspec import runtimes
from gpuspec.spec import TrainingFields
from gpuspec.spec.roles import Role

Name = Literal["torchrun", "accelerate", "deepspeed", "mpirun", "ray"]

_NAMES: dict[str, Name] = {
    "torchrun": "torchrun",
    "torch.distributed.run": "torchrun",
    "torch.distributed.launch": "torchrun",
    "accelerate": "accelerate",
    "accelerate.commands.accelerate_cli": "accelerate",
    "accelerate.commands.launch": "accelerate",
    "deepspeed": "deepspeed",
    "mpirun": "mpirun",
    "mpiexec": "mpirun",
    "horovodrun": "mpirun",
    "ray": "ray",
}
# The word behind a name that makes a launcher of it.
_VERBS = {"accelerate": "launch", "accelerate.commands.accelerate_cli": "launch", "ray": "start"}
_BY_SSH = ("mpirun", "deepspeed")
_SHELLS = ("sh", "bash", "dash", "ash", "zsh")
_WORD = re.compile(r"""[^\s;&|()'"`]+""")


class SpecLauncher(msgspec.Struct, frozen=True):
    """A launcher that the spec starts, and its options."""

    name: Name
    flags: frozenset[str]
    """Names of its options, with dashes between their words."""
    at: int | None
    """The index of its first option in the command, or else in the args; None inside a shell
    script."""
    text: str
    """All that is started."""

    def is_told(self, *flags: str) -> bool:
        """Return whether one of these options is set."""
        return not self.flags.isdisjoint(flags)

    def lacks_nodes(self, spec: TrainingFields) -> bool:
        """Return whether torchrun lacks the option for other workers."""
        return spec.workers > 1 and not self.is_told("--nnodes", "--standalone")

    def lacks_processes(self, spec: TrainingFields) -> bool:
        """Return whether torchrun lacks the number of processes, and would start one."""
        return spec.gpu.count > 1 and not self.is_told("--nproc-per-node")


def started(of: TrainingFields | Role) -> SpecLauncher | None:
    """Return the launcher that workers or a role start themselves; None if it is not a known
    one."""
    line = of.command or of.args
    if not line:
        return None
    if line[0].rpartition("/")[2] in _SHELLS:
        script = next((word for word in (*of.command, *of.args)[1:] if " " in word), "")
        return _of(_WORD.findall(script), 0, in_shell=True)
    module = line[1:2] == ("-m",) or line[1:3] == ("-u", "-m")
    first = line.index("-m") + 1 if module else 0
    return _of(line, first, in_shell=False)


def _of(words: list[str] | tuple[str, ...], first: int, *, in_shell: bool) -> SpecLauncher | None:
    for index in range(first, len(words) if in_shell else min(first + 1, len(words))):
        word = words[index].rpartition("/")[2]
        name, verb = _NAMES.get(word), _VERBS.get(word)
        if name is None or (verb and tuple(words[index + 1 : index + 2]) != (verb,)):
            continue
        begin = index + (2 if verb else 1)
        own_words: list[str] = []
        for program_word in words[begin:]:
            if program_word.endswith(".py") or program_word in ("-m", "--module"):
                break
            own_words.append(program_word)
        flags = frozenset(runtimes.flag(word) for word in own_words if word.startswith("-"))
        return SpecLauncher(name, flags, None if in_shell else begin, " ".join(words))
    return None


def says(program_start: SpecLauncher, spec: TrainingFields) -> str | None:
    """Return the behaviour of a launcher that gets no options from gpuspec; None if it needs
    none."""
    workers, gpus = spec.workers, spec.gpu.count
    if program_start.name == "mpirun" and workers > 1:
        return (
            f"mpirun reaches other workers by ssh, which pods lack, so each of the {workers} runs "
            "alone: write launcher: torchrun, or target: mpijob"
        )
    if (
        program_start.name == "mpirun"
        and gpus > 1
        and not program_start.is_told("-np", "-n", "--np", "-N")
    ):
        return f"mpirun is not told to start {gpus} processes, one for each GPU: write -np {gpus}"
    if workers == 1:
        return None
    if program_start.name == "deepspeed":
        return (
            f"deepspeed reaches other workers by ssh, which pods lack, so each of the {workers} runs "
            "alone: write launcher: deepspeed, and the program itself in the command"
        )
    if program_start.name == "ray" and "MASTER_ADDR" not in program_start.text:
        return (
            f"nothing joins the Ray nodes of the {workers} workers: start the head where NODE_RANK is "
            "0, and the others with ray start --address=$MASTER_ADDR:6379"
        )
    if (
        program_start.name == "accelerate"
        and program_start.at is None
        and not program_start.is_told("--machine-rank")
    ):
        return (
            f"accelerate is not told which of the {workers} workers it is, so each is rank 0: write "
            f"--num_machines={workers} --machine_rank=$NODE_RANK --main_process_ip=$MASTER_ADDR "
            "--main_process_port=$MASTER_PORT"
        )
    return None


def says_of_role(role: Role, spec: TrainingFields) -> str | None:
    """Return how a launcher in a role connects to the workers, if they do not answer; else None.

    A launcher that the image itself starts is not visible.
    """
    program_start = started(role)
    words = (*spec.command, *spec.args)
    if program_start is None or program_start.name not in _BY_SSH or not words:
        return None
    if any("sshd" in word for word in words):
        return None
    return (
        f"{program_start.name} in role {role.name} reaches the workers by ssh, and their command starts no "
        "sshd: let the workers start together by launcher: torchrun, or use an MPIJob"
    )
