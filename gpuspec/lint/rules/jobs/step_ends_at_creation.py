"""A step of a workflow that creates a run, and does not wait for its end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gpuspec.enumeration import choice_of
from gpuspec.lint.analysis.reading.workflows import created_by, templates_of
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.context import Context
    from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU894",
    "step-ends-at-creation",
    "warning",
    "A workflow step does not wait for the run that it creates, or waits for a field that it lacks",
)
_FIELD = re.compile(r"\bstatus\.(\w+)")
_KUBEFLOW = ("conditions", "replicaStatuses", "startTime", "completionTime", "lastReconcileTime")
_STATUS = {
    "Job": (
        *("succeeded", "failed", "active", "ready", "terminating", "conditions", "startTime"),
        *("completionTime", "completedIndexes", "failedIndexes", "uncountedTerminatedPods"),
    ),
    **dict.fromkeys(
        ("PyTorchJob", "TFJob", "MPIJob", "XGBoostJob", "PaddleJob", "JAXJob"), _KUBEFLOW
    ),
    "TrainJob": ("conditions", "jobsStatus"),
}
"""By kind: the fields of its status. Sources: batch/v1, kubeflow.org/v1 (common JobStatus),
kubeflow.org/v2beta1, trainer.kubeflow.org/v1alpha1."""
_GROUPS = ("batch", "kubeflow.org", "trainer.kubeflow.org")
_USUAL = {
    "Job": "status.succeeded > 0",
    "TrainJob": "status.conditions.#(type==Complete).status == True",
    "RayJob": "status.jobStatus == SUCCEEDED",
}


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield templates that create finite work with GPUs, by their conditions."""
    for base, template in templates_of(obj):
        resource = mapping(template.get("resource"))
        created = created_by(resource)
        if created is None:
            continue
        kind = text(created.get("kind"))
        condition = text(resource.get("successCondition"))
        if not condition:
            yield RawFinding(
                obj.path(*base, "resource", "successCondition"),
                f"the step ends as soon as the {kind} exists: the workflow goes on, and its result "
                "says nothing about the run",
                note=_note(kind),
                confidence="likely",
            )
            continue
        fields = _status(created)
        for field in _FIELD.findall(condition):
            if fields and field not in fields:
                yield RawFinding(
                    obj.path(*base, "resource", "successCondition"),
                    f"a {kind} has no `status.{field}`: the step waits endlessly after the run has "
                    "ended",
                    note=f"write the field {choice_of(fields)}",
                )


def _status(created: dict[str, object]) -> tuple[str, ...]:
    group, _, _ = text(created.get("apiVersion")).rpartition("/")
    return _STATUS.get(text(created.get("kind")), ()) if group in _GROUPS else ()


def _note(kind: str) -> str:
    usual = _USUAL.get(kind)
    return f"write `successCondition: {usual}`" if usual else "write `successCondition`"
