"""KServe (0.20). Sources: its CRDs, defaults and validators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds.knative import WITHHELD
from gpuspec.kinds.model import Kind, Naming, Part, Rolls, Withheld
from gpuspec.kinds.parts import below
from gpuspec.kinds.scale import Scale, between
from gpuspec.manifests.values import at, mapping, whole

if TYPE_CHECKING:
    from gpuspec.manifests import Path

GROUP = "serving.kserve.io"
_RUNTIME = ("spec", "spec.workerSpec")
_PREDICTOR = (
    *("predictor", "predictor.workerSpec", "transformer", "explainer"),
    "canary.*.predictor",
)
_LLM = ("template", "worker", "prefill.template", "prefill.worker", "router.scheduler.template")
# The frameworks of old (`predictor.pytorch`, `predictor.sklearn` …) are containers too.
_MODELS = (
    *("model", "huggingface", "pytorch", "tensorflow", "triton", "onnx", "sklearn", "xgboost"),
    *("lightgbm", "pmml", "paddle"),
)
_OLD = ("predictor", "transformer", "explainer")
_SCALING = (
    *("minReplicas", "maxReplicas", "scaleTarget", "scaleMetric", "scaleMetricType"),
    *("canaryTrafficPercent", "autoScaling"),
)
_RESTARTS = "restarts the pods"
_WITHOUT_KNATIVE = ("RawDeployment", "Standard")


def _service(value: dict[str, Any], inside: Path) -> Part:
    groups = whole(at(value, ("spec", "predictor", "minReplicas")), 1)
    if inside[-1] == "workerSpec":
        stages = whole(at(value, (*inside, "pipelineParallelSize")), 2)
        return Part("worker", None if stages is None else stages - 1, groups, gang=True)
    several = "workerSpec" in mapping(at(value, inside))
    return Part(str(inside[-1]), 1, groups, several)


def _own_groups(value: dict[str, Any], inside: Path) -> Scale | None:
    part = mapping(at(value, inside[:2]))
    if "maxReplicas" not in part:
        return None
    return between(part.get("minReplicas", 1), part["maxReplicas"] or None, "KServe")


def _llm(value: dict[str, Any], inside: Path) -> Part:
    spec = mapping(value.get("spec"))
    groups, several = whole(spec.get("replicas"), 1), "worker" in spec
    if inside[-1] == "worker":
        return Part("worker", None, groups, gang=True)
    return Part("leader" if several else "pod", 1, groups, several)


def _withheld(value: dict[str, Any]) -> Withheld:
    """What Knative does not take, unless the object says that it is no Knative's."""
    mode = at(value, ("metadata", "annotations", "serving.kserve.io/deploymentMode"))
    return Withheld() if mode in _WITHOUT_KNATIVE else WITHHELD


def _runtime(name: str, *, namespaced: bool) -> Kind:
    return Kind(
        GROUP,
        name,
        "runtime",
        namespaced=namespaced,
        specs=_RUNTIME,
        loose=_MODELS,
        life="service",
        template=True,
        completed=True,
    )


OLD = "serving.kubeflow.org"
"""KFServing's, as KServe was called until 0.7."""

KINDS = (
    Kind(
        OLD,
        "InferenceService",
        "workload",
        specs=(
            *below("spec", *_PREDICTOR),
            *(f"spec.{half}.{part}" for half in ("default", "canary") for part in _OLD),
        ),
        loose=(*_MODELS, "custom"),
        life="service",
        part=_service,
        own_groups=_own_groups,
        withheld=_withheld,
        completed=True,
        complete_with_containers=True,
        image_filled=True,
    ),
    Kind(GROUP, "ClusterStorageContainer", "runtime", namespaced=False),
    _runtime("ClusterServingRuntime", namespaced=False),
    _runtime("ServingRuntime", namespaced=True),
    Kind(GROUP, "LocalModelNodeGroup", "runtime", namespaced=False),
    Kind(GROUP, "LocalModelCache", "runtime", namespaced=False),
    Kind(
        GROUP,
        "LLMInferenceServiceConfig",
        "runtime",
        specs=below("spec", *_LLM),
        loose=_MODELS,
        template=True,
        completed=True,
        image_filled=True,
    ),
    Kind(
        GROUP,
        "InferenceService",
        "workload",
        specs=below("spec", *_PREDICTOR),
        loose=_MODELS,
        life="service",
        part=_service,
        own_groups=_own_groups,
        withheld=_withheld,
        completed=True,
        complete_with_containers=True,
        image_filled=True,
        naming=Naming("letter first"),
        pod_label="serving.kserve.io/inferenceservice",
        rolls=Rolls("restart", _RESTARTS, but=tuple(f"spec.*.{name}" for name in _SCALING)),
    ),
    Kind(
        GROUP,
        "LLMInferenceService",
        "workload",
        specs=below("spec", *_LLM),
        loose=_MODELS,
        life="service",
        part=_llm,
        completed=True,
        image_filled=True,
        rolls=Rolls("restart", _RESTARTS),
    ),
)
