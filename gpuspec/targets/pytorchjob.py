"""PyTorchJob (training-operator 1.9): workers that torch's launchers start. Sources: its CRD, webhook and controller.

There is no Master: with one, the operator adds a container to each Worker that Pod Security's level
`restricted` refuses, and the run ends when the Master ends.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from gpuspec.plan.decision import Note, from_spec
from gpuspec.plan.facets import Part
from gpuspec.plan.launch import PORT
from gpuspec.plan.processes import driven, processes
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.target import Target, TargetInput
from gpuspec.targets import _kubeflow

KIND = _kubeflow.JobVariant(
    target="pytorchjob",
    kind="PyTorchJob",
    container="pytorch",
    port="pytorchjob-port",
    number=PORT,
    listens="rank 0 listens here",
)


def _fields(of: TargetInput) -> Mapping[str, Part]:
    resolution = of.resolution
    started = from_spec(
        ("spec", "gpu", "count"),
        str(processes(resolution)),
        f"one process per {driven(resolution)}",
    )
    return {"pytorchjob": replace(_kubeflow.workers(of, KIND), processes=started)}


def _refused(resolution: Resolution) -> list[RefusalReason]:
    return _kubeflow.refused(resolution, KIND)


def _notes(resolution: Resolution) -> list[Note]:
    return _kubeflow.notes(resolution, KIND)


TARGET = Target(
    name=KIND.target,
    api="kubeflow.org/v1",
    kind=KIND.kind,
    intents=("gang",),
    roles=("worker",),
    fields=_fields,
    needs=_kubeflow.NEEDS,
    ranks=_kubeflow.ranks("NODE_RANK"),
    queued=True,
    wrapped=True,
    once=True,
    refused=_refused,
    notes=_notes,
)
