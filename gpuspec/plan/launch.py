"""One process per GPU: how training is started on one node and on several.

Who a worker is, and where rank 0 is, the target says. The rendezvous is the static one: rank 0
listens, the others connect, and ranks are as stable as host names.
"""

import base64
import json

import msgspec

from gpuspec.plan.case import Case
from gpuspec.plan.leaf import Leaf, Node, Note, Origin, derived, from_spec
from gpuspec.plan.target import Ranks
from gpuspec.plan.words import count
from gpuspec.spec import TrainingFields
from gpuspec.spec.layout import PYTHON
from gpuspec.spec.program import Program, program

# The launchers' own default, so that a script that assumes it works.
PORT = 29500
# Seconds between SIGTERM and SIGKILL for the processes of a launcher, in each of the three
# (PyTorch's elastic agent, which accelerate uses too; DeepSpeed's launcher). Nothing changes it.
PATIENCE = 30


class LaunchPlan(msgspec.Struct, frozen=True):
    """The command of a training container, and the rendezvous environment."""

    command: Node
    args: Node
    env: tuple[Leaf, ...]
    notes: tuple[Note, ...]


class _Meet(msgspec.Struct, frozen=True):
    """What a launcher is told of the others: this worker's rank, and where rank 0 listens."""

    rank: str
    first: str


def launch(case: Case, spec: TrainingFields, ranks: Ranks, name: Leaf) -> LaunchPlan:
    """How the processes are started. `name`: of the object whose pods they are in."""
    what = program(spec.command)
    chosen = _launcher(spec, what)
    master = Leaf(ranks.first(name.value), "rank 0's stable host name", name.origin)
    args = from_spec(("spec", "args"), list(spec.args) or None, "as the spec says")
    env = _rendezvous(spec, what, chosen, ranks, master)
    if chosen == "none":
        command = from_spec(("spec", "command"), list(spec.command) or None, "as the spec says")
        return LaunchPlan(command, args, env, tuple(_no_launcher(case, spec, what)))
    words = {"torchrun": _torchrun, "accelerate": _accelerate, "deepspeed": _deepspeed}[chosen]
    origin = Origin("spec", ("spec", "launcher") if spec.launcher else ("spec", "command"))
    where = f" on each of {spec.workers} workers" if spec.workers > 1 else ""
    reason = f"{chosen} starts {count(spec.gpu.count, 'process')}{where}, one for each GPU"
    meet = _Meet(f"$({ranks.variable})", str(master.value))
    command = Leaf([*words(spec, what, meet), *what.words], reason, origin)
    if what.unbuffered:
        entry = {"name": "PYTHONUNBUFFERED", "value": "1"}
        why = "what python -u does, for the processes that the launcher starts"
        env = (*env, from_spec(("spec", "command"), entry, why))
    return LaunchPlan(command, args, env, tuple(_patience(spec, chosen)))


def _launcher(spec: TrainingFields, what: Program) -> str:
    """The launcher: as asked, else torchrun for a Python program on more than one GPU.

    A command that is itself a launcher is left alone.
    """
    if what.starts_processes:
        return "none"
    if spec.launcher is not None:
        return spec.launcher
    several = spec.gpu.count * spec.workers > 1
    return "torchrun" if several and what.python is not None else "none"


def _torchrun(spec: TrainingFields, what: Program, meet: _Meet) -> list[str]:
    kind = ["-m"] if what.module else []
    base = _named("torchrun", what, "torch.distributed.run")
    if spec.workers == 1:
        return [*base, "--standalone", f"--nproc-per-node={spec.gpu.count}", *kind]
    return [
        *base,
        f"--nnodes={spec.workers}",
        f"--nproc-per-node={spec.gpu.count}",
        f"--node-rank={meet.rank}",
        f"--master-addr={meet.first}",
        f"--master-port={PORT}",
        *kind,
    ]


def _accelerate(spec: TrainingFields, what: Program, meet: _Meet) -> list[str]:
    kind = ["-m"] if what.module else []
    words = _named("accelerate", what, "accelerate.commands.accelerate_cli")
    words += ["launch", f"--num_processes={spec.gpu.count * spec.workers}"]
    if spec.gpu.count * spec.workers > 1:
        words.append("--multi_gpu")
    if spec.workers == 1:
        return [*words, "--num_machines=1", *kind]
    return [
        *words,
        f"--num_machines={spec.workers}",
        f"--machine_rank={meet.rank}",
        f"--main_process_ip={meet.first}",
        f"--main_process_port={PORT}",
        *kind,
    ]


def _deepspeed(spec: TrainingFields, what: Program, meet: _Meet) -> list[str]:
    """DeepSpeed's launcher of one node, for one worker too.

    Its other one, `deepspeed`, reaches further nodes by ssh, which pods lack; on a single node it
    does not hand on SIGTERM, so that nothing could be saved.
    """
    kind = ["--module"] if what.module else []
    gpus = list(range(spec.gpu.count))
    world = {f"worker-{rank}": gpus for rank in range(spec.workers)}
    packed = base64.urlsafe_b64encode(json.dumps(world).encode()).decode()
    words = [str(what.python), "-m", "deepspeed.launcher.launch", f"--world_info={packed}"]
    if spec.workers > 1:
        words += [
            f"--node_rank={meet.rank}",
            f"--master_addr={meet.first}",
            f"--master_port={PORT}",
        ]
    return [*words, *kind]


def _named(name: str, what: Program, module: str) -> list[str]:
    """The launcher's program; its module where the spec names an interpreter of its own."""
    if what.python in PYTHON:
        return [name]
    return [str(what.python), "-m", module]


def _rendezvous(
    spec: TrainingFields, what: Program, chosen: str, ranks: Ranks, master: Leaf
) -> tuple[Leaf, ...]:
    """Where rank 0 is and which rank this is, for launchers and for programs without one.

    PET_* are what torchrun takes its options from when the command does not give them.
    """
    if spec.workers == 1:
        return ()
    workers = from_spec(("spec", "workers"), str(spec.workers), "number of workers")
    per_pod = from_spec(("spec", "gpu", "count"), str(spec.gpu.count), "one process per GPU")
    port = derived("rendezvous", str(PORT), "rank 0 listens here")
    found = {"MASTER_ADDR": master, "MASTER_PORT": port, "NNODES": workers}
    names = ["NODE_RANK"]
    if chosen == "none" and what.starts_processes:
        found |= {"PET_NNODES": workers, "PET_NPROC_PER_NODE": per_pod}
        found |= {"PET_MASTER_ADDR": master, "PET_MASTER_PORT": port}
        names.append("PET_NODE_RANK")
    elif chosen == "none" and spec.gpu.count == 1:
        # One process per pod: the worker is the rank.
        first = derived("rendezvous", "0", "the only process of its pod")
        found |= {"WORLD_SIZE": workers, "LOCAL_RANK": first}
        names.append("RANK")
    plain = [
        Leaf({"name": name, "value": leaf.value}, leaf.reason, leaf.origin)
        for name, leaf in found.items()
    ]
    index = {"fieldPath": ranks.field}
    by_index = [
        derived("rendezvous", {"name": one, "valueFrom": {"fieldRef": index}}, ranks.why)
        for one in names
    ]
    return (*plain, *by_index)


def _no_launcher(case: Case, spec: TrainingFields, what: Program) -> list[Note]:
    """Several GPUs and nobody who starts a process for each: said, unless the spec decided it."""
    if spec.gpu.count == 1 or what.starts_processes or spec.launcher is not None:
        return []
    text = (
        f"{case.gpus} GPUs in a pod and no launcher: the command itself must use all of them; "
        "say launcher: torchrun, accelerate, deepspeed or none"
    )
    return [Note(text, Origin("spec", ("spec", "command")), loud=True)]


def _patience(spec: TrainingFields, chosen: str) -> list[Note]:
    checkpoint = spec.checkpoint
    if checkpoint is None or checkpoint.save.seconds <= PATIENCE:
        return []
    text = (
        f"{chosen} ends its processes {PATIENCE}s after SIGTERM, and saving takes "
        f"{checkpoint.save}: an interrupted run goes back to the last periodic checkpoint, "
        f"up to {checkpoint.every}"
    )
    return [Note(text, Origin("spec", ("spec", "checkpoint", "save")), loud=True)]
