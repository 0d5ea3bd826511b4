"""OME: servers of models whose operator chooses image, and often devices, from the model. Source: its CRDs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds.common import below
from gpuspec.kinds.model import Kind, PodGroupKind, Reference
from gpuspec.kinds.references import chosen, secret
from gpuspec.manifests.values import at, mapping, whole

if TYPE_CHECKING:
    from gpuspec.manifests import Path

OME = "ome.io"
_GROUPED = ("", ".leader", ".worker")
_LOOSE = ("runner", "model")


def _ome(value: dict[str, Any], inside: Path) -> PodGroupKind:
    """Return the pods of an engine or decoder: one pod, or a leader with workers."""
    part = mapping(at(value, inside[:2]))
    groups = whole(part.get("minReplicas"), 1)
    if inside[-1] == "worker":
        return PodGroupKind(
            f"worker {inside[1]}", whole(at(value, (*inside, "size")), 1), groups, gang=True
        )
    return PodGroupKind(str(inside[1]), 1, groups, "worker" in part)


def _runtime(name: str, *, namespaced: bool) -> Kind:
    return Kind(
        OME,
        name,
        "runtime",
        namespaced=namespaced,
        specs=(
            "spec",
            *(
                f"spec.{part}Config{field}"
                for part in ("engine", "decoder", "router")
                for field in _GROUPED
            ),
        ),
        loose=_LOOSE,
        life="service",
        template=True,
        completed=True,
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
        refers=(
            chosen("spec.model", OME, "ClusterBaseModel", "apiGroup"),
            chosen("spec.runtime", OME, "ClusterServingRuntime", "apiGroup"),
        ),
        specs=(
            *(f"spec.{part}{suffix}" for part in ("engine", "decoder") for suffix in _GROUPED),
            *below("spec", "router", "predictor"),
        ),
        loose=_LOOSE,
        life="service",
        part=_ome,
        completed=True,
        image_filled=True,
        own_devices=True,
    ),
    Kind(
        OME,
        "BenchmarkJob",
        "workload",
        life="finite",
        runs_once=True,
        refers=(
            secret("spec.huggingFaceSecretReference"),
            Reference(
                "spec.endpoint.inferenceService",
                "name",
                OME,
                "InferenceService",
                namespace_at="namespace",
            ),
        ),
    ),
)
