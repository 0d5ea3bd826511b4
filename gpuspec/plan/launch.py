"""One process per GPU: how training starts on one node and on several.

The target defines the rank of a worker, and the address of rank 0. The rendezvous is static: rank 0
listens, the others connect, and ranks are as stable as host names.
"""

import base64
import json

import msgspec

from gpuspec import runtimes
from gpuspec.enumeration import counted
from gpuspec.plan.decision import Decision, Note, Origin, derived, from_spec
from gpuspec.plan.facets import LaunchPlan
from gpuspec.plan.processes import driven, processes
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.slices import is_sliced
from gpuspec.plan.started import SpecLauncher, says, started
from gpuspec.plan.target import Ranks
from gpuspec.spec import TrainingFields
from gpuspec.spec.layout import PYTHON
from gpuspec.spec.program import LaunchedProgram, line, program

# The launchers' own default, so that a script that assumes it works.
PORT = 29500
# Seconds between SIGTERM and SIGKILL for the processes of a launcher, in each of the three
# (PyTorch's elastic agent, which accelerate uses too; DeepSpeed's launcher). Nothing changes it.
PATIENCE = 30
# Options of accelerate that take --multi_gpu's place: it refuses two of them.
_OTHER_KINDS = ("--config-file", "--cpu", "--tpu", "--use-deepspeed", "--use-fsdp")


class _Meet(msgspec.Struct, frozen=True):
    """The launcher's settings: this worker's rank, the address of rank 0, and the number of
    processes."""

    rank: str
    first: str
    processes: int


def launch(
    resolution: Resolution, spec: TrainingFields, ranks: Ranks, name: Decision
) -> LaunchPlan:
    """Return how the processes start. `name`: of the object with their pods."""
    started_words, rest = line(spec.command, spec.args)
    launched_program = program(started_words)
    chosen = _launcher(resolution, spec, launched_program)
    own_launcher = started(spec) if chosen == "none" else None
    master = Decision(ranks.first(name.value), "rank 0's stable host name", name.origin)
    env = _rendezvous(resolution, spec, launched_program, chosen, ranks, master, own_launcher)
    meet = _Meet(f"$({ranks.variable})", str(master.value), processes(resolution))
    if chosen == "none":
        command, args = (
            from_spec(("spec", field), list(words) or None, why)
            for field, words, why in _own_line(spec, own_launcher, meet)
        )
        return LaunchPlan(
            command,
            args,
            env,
            tuple(_no_launcher(resolution, spec, launched_program, own_launcher)),
        )
    args = from_spec(("spec", "args"), list(rest) or None, "as the spec says")
    words = {"torchrun": _torchrun, "accelerate": _accelerate, "deepspeed": _deepspeed}[chosen]
    origin = Origin("spec", ("spec", "launcher") if spec.launcher else ("spec", "command"))
    where = f" on each of {spec.workers} workers" if spec.workers > 1 else ""
    started_here = counted(meet.processes, "process")
    reason = f"{chosen} starts {started_here}{where}, one for each {driven(resolution)}"
    command = Decision(
        [*words(spec, launched_program, meet), *launched_program.words], reason, origin
    )
    if launched_program.unbuffered:
        entry = {"name": "PYTHONUNBUFFERED", "value": "1"}
        why = "unbuffered output (like python -u) for the processes that the launcher starts"
        env = (*env, from_spec(("spec", "command"), entry, why))
    return LaunchPlan(command, args, env, tuple(_patience(spec, chosen)))


def _launcher(
    resolution: Resolution, spec: TrainingFields, launched_program: LaunchedProgram
) -> str:
    """Return the launcher: the spec's, or else torchrun for a Python program on more than one GPU.

    A command that is itself a launcher stays unchanged. On TPUs one process drives all chips of a
    host.
    """
    if launched_program.starts_processes:
        return "none"
    if spec.launcher is not None:
        return spec.launcher
    several = processes(resolution) * spec.workers > 1 and not is_sliced(resolution)
    return "torchrun" if several and launched_program.python is not None else "none"


def _torchrun(spec: TrainingFields, launched_program: LaunchedProgram, meet: _Meet) -> list[str]:
    kind = ["-m"] if launched_program.module else []
    base = _named("torchrun", launched_program, "torch.distributed.run")
    if spec.workers == 1:
        return [*base, "--standalone", f"--nproc-per-node={meet.processes}", *kind]
    return [
        *base,
        f"--nnodes={spec.workers}",
        f"--nproc-per-node={meet.processes}",
        f"--node-rank={meet.rank}",
        f"--master-addr={meet.first}",
        f"--master-port={PORT}",
        *kind,
    ]


def _accelerate(spec: TrainingFields, launched_program: LaunchedProgram, meet: _Meet) -> list[str]:
    kind = ["-m"] if launched_program.module else []
    words = _named("accelerate", launched_program, "accelerate.commands.accelerate_cli")
    return [*words, "launch", *_machines(spec, meet), *kind]


def _machines(spec: TrainingFields, meet: _Meet) -> list[str]:
    """Return accelerate's options for processes and machines."""
    words = [f"--num_processes={meet.processes * spec.workers}"]
    if meet.processes * spec.workers > 1:
        words.append("--multi_gpu")
    words.append(f"--num_machines={spec.workers}")
    if spec.workers > 1:
        words += [
            f"--machine_rank={meet.rank}",
            f"--main_process_ip={meet.first}",
            f"--main_process_port={PORT}",
        ]
    return words


def _own_line(
    spec: TrainingFields, own_launcher: SpecLauncher | None, meet: _Meet
) -> list[tuple[str, tuple[str, ...], str]]:
    """Return command and args of the spec; for accelerate with the options that are missing."""
    why = "as the spec says"
    lines = {"command": spec.command, "args": spec.args}
    reasons = dict.fromkeys(lines, why)
    if (
        own_launcher is not None
        and own_launcher.name == "accelerate"
        and own_launcher.at is not None
        and spec.workers > 1
    ):
        field = "command" if spec.command else "args"
        lacking = [
            word for word in _machines(spec, meet) if not own_launcher.is_told(runtimes.flag(word))
        ]
        if own_launcher.is_told(*_OTHER_KINDS):
            lacking = [word for word in lacking if word != "--multi_gpu"]
        words = lines[field]
        lines[field] = (*words[: own_launcher.at], *lacking, *words[own_launcher.at :])
        reasons[field] = f"{why}; accelerate gets the number of the {spec.workers} workers"
    return [(field, words, reasons[field]) for field, words in lines.items()]


def _deepspeed(spec: TrainingFields, launched_program: LaunchedProgram, meet: _Meet) -> list[str]:
    """Return DeepSpeed's launcher for a single node, for one worker too.

    Its other launcher, `deepspeed`, connects to further nodes by ssh, which pods lack; on a single
    node it does not forward SIGTERM, so that no checkpoint could be saved.
    """
    kind = ["--module"] if launched_program.module else []
    gpus = list(range(meet.processes))
    world = {f"worker-{rank}": gpus for rank in range(spec.workers)}
    packed = base64.urlsafe_b64encode(json.dumps(world).encode()).decode()
    words = [
        str(launched_program.python),
        "-m",
        "deepspeed.launcher.launch",
        f"--world_info={packed}",
    ]
    if spec.workers > 1:
        words += [
            f"--node_rank={meet.rank}",
            f"--master_addr={meet.first}",
            f"--master_port={PORT}",
        ]
    return [*words, *kind]


def _named(name: str, launched_program: LaunchedProgram, module: str) -> list[str]:
    """Return the launcher's program; its module if the spec names an interpreter."""
    if launched_program.python in PYTHON:
        return [name]
    return [str(launched_program.python), "-m", module]


def _rendezvous(
    resolution: Resolution,
    spec: TrainingFields,
    launched_program: LaunchedProgram,
    chosen: str,
    ranks: Ranks,
    master: Decision,
    own_launcher: SpecLauncher | None,
) -> tuple[Decision, ...]:
    """Return the address of rank 0 and the own rank, for launchers and for programs without one.

    torchrun takes its options from PET_* if the command line has none.
    """
    if _meets_by_itself(resolution, chosen, launched_program, own_launcher):
        return ()
    workers = from_spec(("spec", "workers"), str(spec.workers), "number of workers")
    reason = f"one process per {driven(resolution)}"
    per_pod = from_spec(("spec", "gpu", "count"), str(processes(resolution)), reason)
    torchrun = (
        own_launcher if own_launcher is not None and own_launcher.name == "torchrun" else None
    )
    if spec.workers == 1:
        if torchrun is None or not torchrun.lacks_processes(spec):
            return ()
        return (_variable("PET_NPROC_PER_NODE", per_pod),)
    port = derived("rendezvous", str(PORT), "rank 0 listens here")
    decisions = {"MASTER_ADDR": master, "MASTER_PORT": port, "NNODES": workers}
    names = ["NODE_RANK"]
    if (chosen == "none" and launched_program.starts_processes) or (
        torchrun and torchrun.lacks_nodes(spec)
    ):
        decisions |= {"PET_NNODES": workers, "PET_NPROC_PER_NODE": per_pod}
        decisions |= {"PET_MASTER_ADDR": master, "PET_MASTER_PORT": port}
        names.append("PET_NODE_RANK")
    elif chosen == "none" and processes(resolution) == 1:
        # One process per pod: the worker is the rank.
        first = derived("rendezvous", "0", "the only process of its pod")
        decisions |= {"WORLD_SIZE": workers, "LOCAL_RANK": first}
        names.append("RANK")
    if torchrun is not None and torchrun.lacks_processes(spec):
        decisions |= {"PET_NPROC_PER_NODE": per_pod}
    plain = [_variable(name, decision) for name, decision in decisions.items()]
    index = {"fieldPath": ranks.field}
    by_index = [
        derived("rendezvous", {"name": name, "valueFrom": {"fieldRef": index}}, ranks.why)
        for name in names
    ]
    return (*plain, *by_index)


def _meets_by_itself(
    resolution: Resolution,
    chosen: str,
    launched_program: LaunchedProgram,
    own_launcher: SpecLauncher | None,
) -> bool:
    """Return whether GKE sets everything for the program: its host in a TPU slice, and the
    addresses of the others."""
    return (
        is_sliced(resolution)
        and chosen == "none"
        and own_launcher is None
        and not launched_program.starts_processes
    )


def _variable(name: str, decision: Decision) -> Decision:
    return Decision({"name": name, "value": decision.value}, decision.reason, decision.origin)


def _no_launcher(
    resolution: Resolution,
    spec: TrainingFields,
    launched_program: LaunchedProgram,
    own_launcher: SpecLauncher | None,
) -> list[Note]:
    """Return a note on several GPUs without a launcher that starts a process for each, or with one
    that does not use all."""
    if own_launcher is not None:
        options_text = says(own_launcher, spec)
        return (
            [Note(options_text, Origin("spec", ("spec", "command")), loud=True)]
            if options_text
            else []
        )
    if processes(resolution) == 1 or launched_program.starts_processes or spec.launcher is not None:
        return []
    if _meets_by_itself(resolution, "none", launched_program, own_launcher):
        return []
    text = (
        f"{processes(resolution)} {driven(resolution)}s in a pod and no launcher: the "
        "command itself must use all of them; write launcher: torchrun, accelerate, "
        "deepspeed or none"
    )
    return [Note(text, Origin("spec", ("spec", "command")), loud=True)]


def _patience(spec: TrainingFields, chosen: str) -> list[Note]:
    checkpoint = spec.checkpoint
    if checkpoint is None or checkpoint.save.seconds <= PATIENCE:
        return []
    text = (
        f"{chosen} ends its processes {PATIENCE}s after SIGTERM, but saving takes "
        f"{checkpoint.save}: an interrupted run goes back to the last periodic "
        f"checkpoint and loses up to {checkpoint.every} of work"
    )
    return [Note(text, Origin("spec", ("spec", "checkpoint", "save")), loud=True)]
