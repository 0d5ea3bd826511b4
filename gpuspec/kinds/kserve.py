"""KServe (0.20). Sources: its CRDs, defaults and validators; how it merges an object with its runtime
or configurations, a strategic merge patch, of which tolerations have no key: `MergePodSpec`
(inferenceservice/utils), config_merge.go (llmisvc)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds.gateway import route
from gpuspec.kinds.knative import WITHHELD
from gpuspec.kinds.model import Kind, Made, Naming, Part, Reference, Rollout, Rolls, Withheld
from gpuspec.kinds.owned import Renamed, Rewriter
from gpuspec.kinds.parts import below
from gpuspec.kinds.platform import INFERENCE
from gpuspec.kinds.references import (
    GATEWAY,
    account,
    chosen,
    claim,
    claim_spec,
    config_map,
    environment,
    volume_spec,
)
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
_MODE = "serving.kserve.io/deploymentMode"
_WITHOUT_KNATIVE = ("RawDeployment", "Standard")

# inference_service_defaults.go (DefaultInferenceService): the old modes are stored under their new names.
_REWRITER = Rewriter(
    "KServe",
    words=(
        Renamed(
            ("metadata", "annotations", _MODE),
            (("RawDeployment", "Standard"), ("Serverless", "Knative")),
            "0.16.0",
        ),
    ),
)


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


def _is_deployment(value: dict[str, Any]) -> bool:
    """Whether the object says that KServe makes a Deployment of it, and no group of nodes."""
    annotations = mapping(at(value, ("metadata", "annotations")))
    several = at(value, ("spec", "predictor", "workerSpec"))
    return annotations.get(_MODE) in _WITHOUT_KNATIVE and several is None


def _made(value: dict[str, Any], name: str) -> list[Made]:
    return [Made("the name of a Service", f"{name}-predictor")]


def _llm(value: dict[str, Any], inside: Path) -> Part:
    spec = mapping(value.get("spec"))
    groups, several = whole(spec.get("replicas"), 1), "worker" in spec
    if inside[-1] == "worker":
        return Part("worker", None, groups, gang=True)
    return Part("leader" if several else "pod", 1, groups, several)


def _model(base: str) -> tuple[Reference, ...]:
    """What serves a model, and where it lies."""
    return (
        Reference(base, "runtime", GROUP, "ServingRuntime", others=("ClusterServingRuntime",)),
        claim(base, "storageUri", "pvc://"),
    )


def _withheld(value: dict[str, Any]) -> Withheld:
    """What Knative does not take, unless the object says that it is no Knative's."""
    mode = at(value, ("metadata", "annotations", _MODE))
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

# In all configurations that it brings, config/llmisvcconfig.
_MAIN = "main"
_SCHEDULER = "spec.router.scheduler"
_LLM_REFERS = (
    Reference("spec.baseRefs.*", "name", GROUP, "LLMInferenceServiceConfig"),
    claim("spec.model", "uri", "pvc://"),
    *(
        row
        for each in ("spec", "spec.prefill")
        for stored in (f"{each}.kvCacheOffloading.secondary.*.fileSystem.pvc",)
        for row in (claim(f"{stored}.ref", "name"), *claim_spec(f"{stored}.spec"))
    ),
    Reference(
        "spec.router.gateway.refs.*",
        "name",
        GATEWAY,
        "Gateway",
        ("sectionName",),
        namespace_at="namespace",
    ),
    Reference(
        "spec.router.ingress.refs.*",
        "name",
        "networking.k8s.io",
        "Ingress",
        namespace_at="namespace",
    ),
    Reference("spec.router.route.http.refs.*", "name", GATEWAY, "HTTPRoute"),
    *route("spec.router.route.http.spec"),
    config_map(f"{_SCHEDULER}.config.ref", "name", "key"),
    Reference(f"{_SCHEDULER}.pool.ref", "name", INFERENCE, "InferencePool"),
    *(
        chosen(f"{_SCHEDULER}.pool.spec.{each}", "", "Service", "group")
        for each in ("endpointPickerRef", "extensionRef")
    ),
)

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
    Kind(
        GROUP,
        "ClusterStorageContainer",
        "runtime",
        namespaced=False,
        refers=environment("spec.container"),
    ),
    _runtime("ClusterServingRuntime", namespaced=False),
    _runtime("ServingRuntime", namespaced=True),
    Kind(
        GROUP,
        "LocalModelNodeGroup",
        "runtime",
        namespaced=False,
        refers=(
            *claim_spec("spec.persistentVolumeClaimSpec"),
            *volume_spec("spec.persistentVolumeSpec"),
        ),
    ),
    Kind(
        GROUP,
        "LocalModelCache",
        "runtime",
        namespaced=False,
        refers=(Reference("spec", "nodeGroups", GROUP, "LocalModelNodeGroup"), account("spec")),
    ),
    Kind(
        GROUP,
        "LLMInferenceServiceConfig",
        "runtime",
        refers=_LLM_REFERS,
        specs=below("spec", *_LLM),
        loose=_MODELS,
        template=True,
        completed=True,
        main_container=_MAIN,
        image_filled=True,
    ),
    Kind(
        GROUP,
        "InferenceService",
        "workload",
        specs=below("spec", *_PREDICTOR),
        labelled=below("spec", *_OLD),
        loose=_MODELS,
        life="service",
        part=_service,
        own_groups=_own_groups,
        withheld=_withheld,
        rewriter=_REWRITER,
        completed=True,
        tolerations_replace=True,
        complete_with_containers=True,
        image_filled=True,
        refers=tuple(row for each in _MODELS for row in _model(f"spec.predictor.{each}")),
        naming=Naming("letter first, of any length", made=_made),
        # In the Standard mode both, in Knative's the Service is the revision's.
        makes=tuple(
            Reference("metadata", "name", group, kind, ending="-predictor")
            for group, kind in (("apps", "Deployment"), ("", "Service"))
        ),
        pod_label="serving.kserve.io/inferenceservice",
        rolls=Rolls("restart", _RESTARTS, but=tuple(f"spec.*.{name}" for name in _SCALING)),
        # setDefaultDeploymentSpec (inferenceservice/reconcilers/deployment): 25 % both.
        rollout=Rollout(
            "predictor.deploymentStrategy",
            "rollingUpdate",
            "25%",
            "25%",
            "predictor.minReplicas",
            _is_deployment,
        ),
    ),
    Kind(
        GROUP,
        "LLMInferenceService",
        "workload",
        refers=_LLM_REFERS,
        specs=below("spec", *_LLM),
        loose=_MODELS,
        life="service",
        part=_llm,
        completed=True,
        main_container=_MAIN,
        tolerations_replace=True,
        image_filled=True,
        rolls=Rolls("restart", _RESTARTS),
    ),
)
