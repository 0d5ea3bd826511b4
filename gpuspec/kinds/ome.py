"""OME, llmaz, KubeAI and Kaito: servers of models whose operators choose image, and often devices, from
the model. Sources: their CRDs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds.model import Flat, Kind, Part
from gpuspec.kinds.parts import below, leader_and_workers
from gpuspec.manifests.values import at, mapping, whole

if TYPE_CHECKING:
    from gpuspec.manifests import Path

OME = "ome.io"
LLMAZ = "inference.llmaz.io"
_GROUPED = ("", ".leader", ".worker")
_LOOSE = ("runner", "model")


def _ome(value: dict[str, Any], inside: Path) -> Part:
    """An engine or decoder is one pod, or a leader with workers."""
    part = mapping(at(value, inside[:2]))
    groups = whole(part.get("minReplicas"), 1)
    if inside[-1] == "worker":
        return Part(
            f"worker {inside[1]}", whole(at(value, (*inside, "size")), 1), groups, gang=True
        )
    return Part(str(inside[1]), 1, groups, "worker" in part)


def _runtime(name: str, *, namespaced: bool) -> Kind:
    return Kind(
        OME,
        name,
        "runtime",
        namespaced=namespaced,
        specs=(
            "spec",
            *(
                f"spec.{part}Config{one}"
                for part in ("engine", "decoder", "router")
                for one in _GROUPED
            ),
        ),
        loose=_LOOSE,
        life="service",
        template=True,
        completed=True,
    )


def _served(group: str, name: str, *flat: Flat) -> Kind:
    """A kind whose operator makes pods of what a model or a runtime says."""
    return Kind(
        group,
        name,
        "workload",
        flat=flat,
        life="service",
        completed=True,
        image_filled=True,
        own_devices=True,
    )


KINDS = (
    *(
        Kind(OME, name, "runtime", namespaced=name == "BaseModel")
        for name in ("AcceleratorClass", "BaseModel", "ClusterBaseModel", "FineTunedWeight")
    ),
    _runtime("ClusterServingRuntime", namespaced=False),
    _runtime("ServingRuntime", namespaced=True),
    Kind(
        OME,
        "InferenceService",
        "workload",
        specs=(
            *(f"spec.{part}{one}" for part in ("engine", "decoder") for one in _GROUPED),
            *below("spec", "router", "predictor"),
        ),
        loose=_LOOSE,
        life="service",
        part=_ome,
        completed=True,
        image_filled=True,
        own_devices=True,
    ),
    Kind(OME, "BenchmarkJob", "workload", life="finite", runs_once=True),
    Kind("llmaz.io", "OpenModel", "runtime", namespaced=False),
    Kind(LLMAZ, "BackendRuntime", "runtime", namespaced=False),
    _served(LLMAZ, "Playground", Flat("spec.backendRuntimeConfig")),
    Kind(
        LLMAZ,
        "Service",
        "workload",
        templates=("spec.workloadTemplate.leaderTemplate", "spec.workloadTemplate.workerTemplate"),
        life="service",
        part=leader_and_workers("workloadTemplate"),
        completed=True,
        image_filled=True,
        scalable=True,
    ),
    _served("kubeai.org", "Model"),
    *(_served("kaito.sh", name) for name in ("Workspace", "InferenceSet", "RAGEngine")),
)
