"""KServe (0.20). Sources: its CRDs, defaults and validators. It merges an object with its runtime
or configurations by a strategic merge patch, in which tolerations have no key: `MergePodSpec`
(inferenceservice/utils), config_merge.go (llmisvc)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds.common import below
from gpuspec.kinds.gateway import route
from gpuspec.kinds.knative import WITHHELD
from gpuspec.kinds.model import (
    DerivedName,
    ImmutableFields,
    Kind,
    Naming,
    PodGroupKind,
    Reference,
    RolloutFields,
    Rolls,
    Withheld,
)
from gpuspec.kinds.owned import NormalizedField, Rewriter
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
from gpuspec.manifests.values import at, items, mapping, whole

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
_PRESETS = "kserve-config-llm-"
"""Name prefixes of the configurations that KServe installs or refers to."""
_LLM_SCALING = ("replicas", "scaling")
_RESTARTS = "restarts the pods"
_MODE = "serving.kserve.io/deploymentMode"
_WITHOUT_KNATIVE = ("RawDeployment", "Standard")

# inference_service_defaults.go (DefaultInferenceService): the old modes are stored under their new names.
_REWRITER = Rewriter(
    "KServe",
    words=(
        NormalizedField(
            ("metadata", "annotations", _MODE),
            (("RawDeployment", "Standard"), ("Serverless", "Knative")),
            "0.16.0",
        ),
    ),
)


def _service(value: dict[str, Any], inside: Path) -> PodGroupKind:
    groups = whole(at(value, ("spec", "predictor", "minReplicas")), 1)
    if inside[-1] == "workerSpec":
        stages = whole(at(value, (*inside, "pipelineParallelSize")), 2)
        return PodGroupKind("worker", None if stages is None else stages - 1, groups, gang=True)
    several = "workerSpec" in mapping(at(value, inside))
    return PodGroupKind(str(inside[-1]), 1, groups, several)


def _own_groups(value: dict[str, Any], inside: Path) -> Scale | None:
    part = mapping(at(value, inside[:2]))
    if "maxReplicas" not in part:
        return None
    return between(part.get("minReplicas", 1), part["maxReplicas"] or None, "KServe")


def _is_deployment(value: dict[str, Any]) -> bool:
    """Return whether KServe creates a Deployment for the object, rather than a group of nodes."""
    annotations = mapping(at(value, ("metadata", "annotations")))
    several = at(value, ("spec", "predictor", "workerSpec"))
    return annotations.get(_MODE) in _WITHOUT_KNATIVE and several is None


def _made(value: dict[str, Any], name: str) -> list[DerivedName]:
    return [DerivedName("the name of a Service", f"{name}-predictor")]


def _llm(value: dict[str, Any], inside: Path) -> PodGroupKind:
    """Return the pods of a server, of its prefill servers or of its endpoint picker, each with
    replicas of its own."""
    part = mapping(at(value, inside[:-1]))
    several, groups = "worker" in part, whole(part.get("replicas"), 1)
    before = "prefill " if "prefill" in inside else ""
    if inside[-1] == "worker":
        size = _llm_size(mapping(part.get("parallelism")))
        return PodGroupKind(
            f"{before}worker", None if size is None else size - 1, groups, gang=True
        )
    if "scheduler" in inside:
        return PodGroupKind("scheduler", 1, groups)
    return PodGroupKind(f"{before}leader" if several else f"{before}pod", 1, groups, several)


def _llm_size(parallelism: dict[str, Any]) -> int | None:
    """Return the number of pods of a multi-node replica (`GetSize` of v1alpha2); None if it is not
    known."""
    data, local = (whole(parallelism.get(field), 1) for field in ("data", "dataLocal"))
    if "data" in parallelism or "dataLocal" in parallelism:
        return None if data is None or not local else max(data // local, 1)
    return whole(parallelism.get("pipeline"), 1) if "pipeline" in parallelism else None


def preset_of(value: dict[str, Any], inside: Path) -> str | None:
    """Return the configuration that KServe's controller merges into a pod of an
    LLMInferenceService, among those that it installs (`combineBaseRefsConfig`). None if it uses
    none of these."""
    if value.get("kind") != "LLMInferenceService":
        return None
    if inside[-1:] not in (("template",), ("worker",)) or "scheduler" in inside:
        return None
    part, apart = mapping(at(value, inside[:-1])), "prefill" in mapping(value.get("spec"))
    side = "prefill-" if "prefill" in inside else "decode-" if apart else ""
    if "worker" not in part:
        return f"{_PRESETS}{side}template"
    parallelism = mapping(part.get("parallelism"))
    divided = "data" in parallelism or "dataLocal" in parallelism
    return f"{_PRESETS}{side}worker-data-parallel" if divided else None


def _llm_plainly(value: dict[str, Any]) -> bool:
    """Return whether only configurations that the controller itself chooses are merged into its
    pods; these have no scheduling fields."""
    base_refs = items(at(value, ("spec", "baseRefs")))
    return all(str(mapping(base_ref).get("name")).startswith(_PRESETS) for base_ref in base_refs)


def _llm_groups(value: dict[str, Any], inside: Path) -> Scale | None:
    """Return the pod groups that the Workload Variant Autoscaler scales for a server or its prefill
    servers."""
    scaling = mapping(mapping(at(value, inside[:-1])).get("scaling"))
    if "maxReplicas" not in scaling:
        return None
    return between(scaling.get("minReplicas", 1), scaling["maxReplicas"], "KServe")


def _model(base: str) -> tuple[Reference, ...]:
    """Return the references of a model server: its runtime, and the storage of its model."""
    return (
        Reference(base, "runtime", GROUP, "ServingRuntime", others=("ClusterServingRuntime",)),
        claim(base, "storageUri", "pvc://"),
    )


def _withheld(value: dict[str, Any]) -> Withheld:
    """Return the fields that Knative does not accept, unless the object does not use Knative."""
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
"""The group of KFServing, the name of KServe until 0.7."""

# In all configurations that it brings, config/llmisvcconfig.
_MAIN = "main"
_SCHEDULER = "spec.router.scheduler"
_LLM_REFERS = (
    Reference("spec.baseRefs.*", "name", GROUP, "LLMInferenceServiceConfig"),
    claim("spec.model", "uri", "pvc://"),
    *(
        row
        for prefix in ("spec", "spec.prefill")
        for stored in (f"{prefix}.kvCacheOffloading.secondary.*.fileSystem.pvc",)
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
        chosen(f"{_SCHEDULER}.pool.spec.{field}", "", "Service", "group")
        for field in ("endpointPickerRef", "extensionRef")
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
        refers=tuple(row for model in _MODELS for row in _model(f"spec.predictor.{model}")),
        naming=Naming("letter first, of any length", made=_made),
        # In the Standard mode both, in Knative's the Service is the revision's.
        makes=tuple(
            Reference("metadata", "name", group, kind, ending="-predictor")
            for group, kind in (("apps", "Deployment"), ("", "Service"))
        ),
        made=("spec.predictor",),
        pod_label="serving.kserve.io/inferenceservice",
        rolls=Rolls("restart", _RESTARTS, but=tuple(f"spec.*.{name}" for name in _SCALING)),
        # setDefaultDeploymentSpec (inferenceservice/reconcilers/deployment): 25 % both.
        rollout=RolloutFields(
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
        own_groups=_llm_groups,
        completed=True,
        plainly=_llm_plainly,
        main_container=_MAIN,
        tolerations_replace=True,
        image_filled=True,
        makes=tuple(
            Reference("metadata", "name", group, kind, ending=ending)
            for group, kind, ending in (
                ("apps", "Deployment", "-kserve"),
                ("leaderworkerset.x-k8s.io", "LeaderWorkerSet", "-kserve-mn"),
                ("", "Service", "-kserve-workload-svc"),
            )
        ),
        made=("spec.template", "spec.worker"),
        pod_label="app.kubernetes.io/name",
        # validateImmutableParallelism: a replica has as many pods as it had.
        kept=ImmutableFields(("spec.parallelism.pipeline",)),
        rolls=Rolls(
            "restart",
            _RESTARTS,
            but=tuple(
                f"spec.{prefix}{name}" for prefix in ("", "prefill.") for name in _LLM_SCALING
            ),
        ),
    ),
)
