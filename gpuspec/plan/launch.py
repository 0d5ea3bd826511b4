"""One process per GPU: how training is started on one node and on several.

Node rank is the Job's completion index. The rendezvous is the static one: rank 0 listens, the
others connect, and ranks follow the index, as the Job's stable host names do.
"""

import base64
import json
from dataclasses import dataclass

from gpuspec.plan.case import Case
from gpuspec.plan.leaf import Leaf, Node, Origin, derived, from_spec
from gpuspec.spec import TrainingFields

PORT = 29500
RANK = "$(JOB_COMPLETION_INDEX)"
_PYTHON = ("python", "python3")


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """The command of a training container, and the rendezvous environment."""

    command: Node
    args: Node
    env: tuple[Leaf, ...]


def launcher(spec: TrainingFields) -> str:
    """The launcher: as asked, else torchrun for a Python program on more than one GPU."""
    if spec.launcher is not None:
        return spec.launcher
    several = spec.gpu.count * spec.workers > 1
    python = bool(spec.command) and spec.command[0] in _PYTHON
    return "torchrun" if several and python else "none"


def launch(case: Case, spec: TrainingFields, job: Leaf, service: Leaf) -> LaunchPlan:
    """How the processes are started. `job` and `service` are their names, for rank 0's address."""
    chosen = launcher(spec)
    master = f"{job.value}-0.{service.value}"
    env = _environment(spec, chosen, Leaf(master, "rank 0's stable host name", job.origin))
    args = from_spec(("spec", "args"), list(spec.args) or None, "as given")
    if chosen == "none" or spec.command[0] not in _PYTHON:
        command = from_spec(("spec", "command"), list(spec.command) or None, "as given")
        return LaunchPlan(command, args, env)
    words = {"torchrun": _torchrun, "accelerate": _accelerate, "deepspeed": _deepspeed}[chosen]
    origin = Origin("spec", ("spec", "launcher") if spec.launcher else ("spec", "command"))
    reason = f"{chosen} starts {spec.gpu.count} processes on each of {spec.workers} workers"
    value = [*words(spec, master), *spec.command[1:]]
    return LaunchPlan(Leaf(value, reason, origin), args, env)


def _torchrun(spec: TrainingFields, master: str) -> list[str]:
    if spec.workers == 1:
        return ["torchrun", "--standalone", f"--nproc-per-node={spec.gpu.count}"]
    return [
        "torchrun",
        f"--nnodes={spec.workers}",
        f"--nproc-per-node={spec.gpu.count}",
        f"--node-rank={RANK}",
        f"--master-addr={master}",
        f"--master-port={PORT}",
    ]


def _accelerate(spec: TrainingFields, master: str) -> list[str]:
    words = ["accelerate", "launch", f"--num_processes={spec.gpu.count * spec.workers}"]
    if spec.gpu.count * spec.workers > 1:
        words.append("--multi_gpu")
    if spec.workers == 1:
        return words
    return [
        *words,
        f"--num_machines={spec.workers}",
        f"--machine_rank={RANK}",
        f"--main_process_ip={master}",
        f"--main_process_port={PORT}",
    ]


def _deepspeed(spec: TrainingFields, master: str) -> list[str]:
    """DeepSpeed's launcher of one node: its own needs ssh between the nodes, which pods lack."""
    if spec.workers == 1:
        return ["deepspeed", f"--num_gpus={spec.gpu.count}"]
    gpus = list(range(spec.gpu.count))
    world = {f"worker-{rank}": gpus for rank in range(spec.workers)}
    packed = base64.urlsafe_b64encode(json.dumps(world).encode()).decode()
    return [
        "python",
        "-m",
        "deepspeed.launcher.launch",
        f"--world_info={packed}",
        f"--node_rank={RANK}",
        f"--master_addr={master}",
        f"--master_port={PORT}",
    ]


def _environment(spec: TrainingFields, chosen: str, master: Leaf) -> tuple[Leaf, ...]:
    """Rendezvous variables: plain ones, and PET_*, which torchrun reads as its defaults."""
    if spec.workers == 1:
        return ()
    found = {"MASTER_ADDR": master, "MASTER_PORT": _PORT}
    ranks = ["NODE_RANK"]
    if chosen in ("torchrun", "none"):
        found |= {
            "PET_NNODES": from_spec(("spec", "workers"), str(spec.workers), "number of workers"),
            "PET_NPROC_PER_NODE": from_spec(
                ("spec", "gpu", "count"), str(spec.gpu.count), "one process per GPU"
            ),
            "PET_MASTER_ADDR": master,
            "PET_MASTER_PORT": _PORT,
        }
        ranks.append("PET_NODE_RANK")
    plain = [
        Leaf({"name": name, "value": leaf.value}, leaf.reason, leaf.origin)
        for name, leaf in found.items()
    ]
    index = {"fieldPath": "metadata.labels['batch.kubernetes.io/job-completion-index']"}
    why = "the worker's rank is its completion index"
    by_index = [
        derived("rendezvous", {"name": name, "valueFrom": {"fieldRef": index}}, why)
        for name in ranks
    ]
    return (*plain, *by_index)


_PORT = derived("rendezvous", str(PORT), "rank 0 listens here")
