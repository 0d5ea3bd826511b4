"""TFJob (training-operator 1.9): workers that find each other by TF_CONFIG. Sources: its CRD,
webhook and controller.

There is no Chief: without one TensorFlow uses worker 0, and a run with a Chief ends when the Chief
ends. There are no parameter servers, which run another program.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from gpuspec.enumeration import counted
from gpuspec.plan.decision import Decision, Note, Origin, derived, from_spec
from gpuspec.plan.facets import LaunchPlan, Part
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.target import Target, TargetInput
from gpuspec.spec import TrainingFields
from gpuspec.spec.program import line, program
from gpuspec.targets import _kubeflow

KIND = _kubeflow.JobVariant(
    target="tfjob",
    kind="TFJob",
    container="tensorflow",
    port="tfjob-port",
    number=2222,
    listens="each worker listens here for the others",
)


def _fields(of: TargetInput) -> Mapping[str, Part]:
    done = derived("tfjob", "AllWorkers", "complete when all workers are, not only the first")
    return {"tfjob": replace(_kubeflow.workers(of, KIND), success=done)}


def _launch(resolution: Resolution, spec: TrainingFields, name: Decision) -> LaunchPlan:
    """Return the command unchanged: one process in each worker, with all GPUs of the worker."""
    reason = "as the spec says"
    command, args = (
        from_spec(("spec", field), list(words) or None, reason)
        for field, words in (("command", spec.command), ("args", spec.args))
    )
    addresses = (
        "; the operator passes them each other's addresses in TF_CONFIG" if spec.workers > 1 else ""
    )
    text = f"one process in {counted(spec.workers, 'worker')}, which has {resolution.gpus} GPUs to use{addresses}"
    return LaunchPlan(command, args, (), (Note(text, Origin("spec", ("spec", "command"))),))


def _refused(resolution: Resolution) -> list[RefusalReason]:
    """Return refusals for launchers that start a process for each GPU, which TF_CONFIG does not
    describe."""
    spec, workload = resolution.spec, resolution.workload
    assert isinstance(spec, TrainingFields)
    reasons = _kubeflow.refused(resolution, KIND)
    if spec.launcher not in (None, "none"):
        text = (
            f"`launcher: {spec.launcher}` does not work with target tfjob: a TFJob has one "
            "process in each worker"
        )
        hint = "delete `launcher`, or choose another target"
        reasons.append(RefusalReason(text, workload.place(("spec", "launcher")), hint))
    elif program(line(spec.command, spec.args)[0]).starts_processes:
        text = (
            f"`{' '.join(spec.command[:3])}` starts several processes, but TF_CONFIG of a "
            "TFJob describes one in each worker"
        )
        hint = "start the program itself, or choose another target"
        reasons.append(RefusalReason(text, workload.place(("spec", "command")), hint))
    return reasons


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
    # TensorFlow reads the rank from TF_CONFIG.
    ranks=_kubeflow.ranks(""),
    launch=_launch,
    queued=True,
    once=True,
    refused=_refused,
    notes=_notes,
)
