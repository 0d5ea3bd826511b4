"""Kubeflow Trainer (2.3): TrainJobs, and the runtimes with their pods. Sources: its CRDs and
webhooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds import jobset
from gpuspec.kinds.batch import last
from gpuspec.kinds.model import (
    DerivedName,
    Flat,
    ImmutableFields,
    Kind,
    Naming,
    PodGroupKind,
    Queueing,
    Reference,
)
from gpuspec.kinds.references import chosen, claim_spec, key_refs, secret
from gpuspec.manifests.values import at, whole

if TYPE_CHECKING:
    from gpuspec.manifests import Path

GROUP = "trainer.kubeflow.org"
_TEMPLATES = (f"spec.template.spec.{jobset.TEMPLATE}",)


def _part(value: dict[str, Any], inside: Path) -> PodGroupKind:
    nodes = whole(at(value, ("spec", "trainer", "numNodes")), None)
    if inside == ("spec", "trainer"):
        return PodGroupKind("trainer", nodes, gang=True)
    return PodGroupKind("patch", nodes, gang=True, overlay=True)


def _made(value: dict[str, Any], name: str) -> list[DerivedName]:
    nodes = last(at(value, ("spec", "trainer", "numNodes")))
    return [DerivedName("the name of a pod", f"{name}-node-0-{nodes}-abcde", surely=False)]


def _initializer(initializer: str) -> tuple[Reference, ...]:
    base = f"spec.initializer.{initializer}"
    return (secret(f"{base}.secretRef"), *key_refs(f"{base}.env.*.valueFrom"))


def _runtime(name: str, *, namespaced: bool) -> Kind:
    return Kind(
        GROUP,
        name,
        "runtime",
        namespaced=namespaced,
        templates=_TEMPLATES,
        life="finite",
        jobs=(f"spec.template.spec.{jobset.JOBS}",),
        part=jobset.part,
        refers=claim_spec(f"spec.template.spec.{jobset.CLAIMS}"),
        template=True,
        shared=True,
        completed=True,
    )


KINDS = (
    _runtime("ClusterTrainingRuntime", namespaced=False),
    _runtime("TrainingRuntime", namespaced=True),
    Kind(
        GROUP,
        "TrainJob",
        "workload",
        templates=(f"spec.runtimePatches.*.trainingRuntimeSpec.template.spec.{jobset.TEMPLATE}",),
        # Its runtime has the pod; image, command and resources of the node are told here.
        flat=(Flat("spec.trainer", "resourcesPerNode"),),
        life="finite",
        part=_part,
        runs_once=True,
        processes=("spec", "trainer", "numProcPerNode"),
        completed=True,
        image_filled=True,
        queueing=Queueing(),
        refers=(
            chosen("spec.runtimeRef", GROUP, "ClusterTrainingRuntime", "apiGroup"),
            *(row for source in ("dataset", "model") for row in _initializer(source)),
        ),
        naming=Naming("letter first", made=_made),
        kept=ImmutableFields(
            ("spec.runtimeRef", "spec.initializer", "spec.trainer", "spec.managedBy"),
            way="give the TrainJob a new name, or delete it first",
        ),
        filled=(
            ("spec.runtimeRef.apiGroup", GROUP),
            ("spec.runtimeRef.kind", "ClusterTrainingRuntime"),
            ("spec.managedBy", f"{GROUP}/trainjob-controller"),
        ),
    ),
)
