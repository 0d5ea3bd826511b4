"""TFJob (training-operator 1.9): workers that TensorFlow has meet by TF_CONFIG. Sources: its CRD, webhook and controller.

There is no Chief: TensorFlow takes worker 0 for one where none is named, and of a run with a Chief
nothing is asked but that the Chief ends. Nor are there parameter servers, which run another program.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from gpuspec.plan.decision import Decision, Note, Origin, derived, from_spec
from gpuspec.plan.facets import LaunchPlan, Part
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.target import Carried, Target
from gpuspec.plan.wording import count
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


def _fields(of: Carried) -> Mapping[str, Part]:
    done = derived("tfjob", "AllWorkers", "done when all workers are, and not when the first is")
    return {"tfjob": replace(_kubeflow.workers(of, KIND), success=done)}


def _launch(resolution: Resolution, spec: TrainingFields, name: Decision) -> LaunchPlan:
    """Return the command as it is: one process in each worker, which TensorFlow gives all GPUs of
    it."""
    reason = "as the spec says"
    command, args = (
        from_spec(("spec", field), list(words) or None, reason)
        for field, words in (("command", spec.command), ("args", spec.args))
    )
    told = "; the operator tells them of each other by TF_CONFIG" if spec.workers > 1 else ""
    text = f"one process in {count(spec.workers, 'worker')}, which has {resolution.gpus} GPUs to use{told}"
    return LaunchPlan(command, args, (), (Note(text, Origin("spec", ("spec", "command"))),))


def _refused(resolution: Resolution) -> list[RefusalReason]:
    """Return what starts a process for each GPU, none of which would read TF_CONFIG as its own."""
    spec, workload = resolution.spec, resolution.workload
    assert isinstance(spec, TrainingFields)
    reasons = _kubeflow.refused(resolution, KIND)
    if spec.launcher not in (None, "none"):
        text = f"launcher {spec.launcher}: a TFJob has one process in each worker"
        hint = "delete `launcher`, or choose another target"
        reasons.append(RefusalReason(text, workload.place(("spec", "launcher")), hint))
    elif program(line(spec.command, spec.args)[0]).starts_processes:
        text = (
            f"`{' '.join(spec.command[:3])}` starts processes, and a TFJob tells one in each worker"
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
