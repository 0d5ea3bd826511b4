"""LLMInferenceService (KServe 0.20, v1alpha2): servers of language models. Sources: its CRD, its
webhooks, its controller (pkg/controller/v1alpha2/llmisvc) and the presets that a pod is merged
over.

The pod is the workload's own, including the weights. KServe's storage initializer is off: it would
download the weights again for each pod, with its own source and limits.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from gpuspec.plan import claims, rollout
from gpuspec.plan.decision import Decision, Note, Origin, PlanPart, derived, from_spec
from gpuspec.plan.distribution import least_replicas
from gpuspec.plan.facets import NodeMap, Part, PodPlan
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.target import Target, TargetInput, TargetRequirement
from gpuspec.spec import InferenceSpec
from gpuspec.spec.model_source import ModelRef
from gpuspec.targets._kserve import KSERVE
from gpuspec.targets._llm_pod import PART_OF, beneath, labels, respread
from gpuspec.targets._llm_refused import DEPLOYMENT, GROUPS, PORT, refused
from gpuspec.targets.lws import LABEL, RANKS
from gpuspec.targets.lws import TARGET as LEADERWORKERSET

PRESET = "kserve-config-llm-worker-pipeline-parallel"
"""The preset that the controller merges pods of a replica on several nodes over, and that KServe
does not install."""
API, KIND = f"{KSERVE}v1alpha2", "LLMInferenceService"
ANSWERS = {"kserve.io/component": "workload"}
GOES_FIRST = 4
"""The number of replicas from which 25 %, rounded down, is one: an old pod then stops before a new
one is ready."""
_PATH = ("spec", "model", "source")


class LlmPlan(msgspec.Struct, frozen=True):
    """An LLMInferenceService; what its webhook would fill in is written out."""

    own_annotations: NodeMap
    presets: PlanPart
    uri: PlanPart
    model: PlanPart
    initializer: PlanPart
    replicas: PlanPart
    pipeline: PlanPart
    labels: NodeMap
    annotations: NodeMap
    routes: PlanPart
    pod: PodPlan
    workers: tuple[PodPlan, ...]
    """The pods on the other nodes than the first; none on a single node."""


def _fields(of: TargetInput) -> Mapping[str, Part]:
    spec = of.resolution.spec
    assert isinstance(spec, InferenceSpec)
    assert spec.model is not None
    first, *rest = of.roles.values()
    several, pod = bool(rest), beneath(first.pod)
    plan = LlmPlan(
        own_annotations={**of.meta.workload_annotations, **_uncached()},
        presets=_presets() if several else None,
        uri=_uri(spec.model),
        model=from_spec(("spec", "model", "id"), spec.model.id, "the model's name"),
        initializer=derived("llminferenceservice", False, "the pod has the weights already"),
        replicas=of.replicas,
        pipeline=from_spec(
            ("spec", "nodes"), spec.nodes, "KServe computes the number of pods from it"
        )
        if several
        else None,
        labels=labels(pod),
        annotations={**pod.annotations, **({} if several else _unaliased())},
        routes=_routes(of, spec),
        pod=respread(pod, f"{LABEL}template-revision-hash") if several else pod,
        workers=tuple(beneath(role.pod) for role in rest),
    )
    return {"llm": plan}


def _uncached() -> dict[str, Decision]:
    why = "only the spec's weights: KServe's cache would change labels that are immutable"
    return {f"{KSERVE}disable-localmodel": derived("llminferenceservice", "true", why)}


def _unaliased() -> dict[str, Decision]:
    why = "the server serves the model under its own name only"
    return {f"{KSERVE}model-based-routing-enabled": derived("llminferenceservice", "false", why)}


def _shared(namespace: str) -> tuple[dict[str, Any], ...]:
    """Return the preset that KServe does not install, which adds nothing."""
    metadata = {"name": PRESET, "namespace": namespace}
    return ({"apiVersion": API, "kind": f"{KIND}Config", "metadata": metadata, "spec": {}},)


def _presets() -> Decision:
    """Return the preset by its name, so that the object shows that it must exist."""
    why = "KServe needs it and does not install it; it is empty, so it adds nothing to the pods"
    return derived("llminferenceservice", [{"name": PRESET}], why)


def _uri(model: ModelRef) -> Decision:
    """Return where the weights come from, in KServe's words; nothing is downloaded by it."""
    source = model.source
    inner = f"/{source.path}" if source.path else ""
    why = "informative: KServe downloads nothing"
    if source.pvc:
        return from_spec((*_PATH, "pvc"), f"pvc://{source.pvc}{inner}", why)
    if source.image:
        return from_spec((*_PATH, "image"), f"oci://{source.image}", why)
    if source.host_path:
        return from_spec((*_PATH, "hostPath"), f"file://{source.host_path}{inner}", why)
    revision = f":{model.revision}" if model.revision else ""
    return from_spec(("spec", "model", "id"), f"hf://{model.id}{revision}", why)


def _routes(of: TargetInput, spec: InferenceSpec) -> PlanPart:
    """Return the reference to the HTTPRoute: KServe then creates none, and reports this one's
    address and state."""
    gateway = of.resolution.profile.spec.gateway
    if (
        of.resolution.server is not None
        or spec.route is None
        or gateway is None
        or gateway.name is None
    ):
        return None
    why = "the rendered route; KServe reports its address and whether a gateway accepts it"
    return from_spec(("spec", "route"), [{"name": of.name.value}], why)


def _scaled(resolution: Resolution) -> tuple[str, str, str]:
    """Return what KServe creates from the object; it keeps the number of replicas if the object has
    none."""
    if resolution.workers > 1:
        return LEADERWORKERSET.api, LEADERWORKERSET.kind, f"{resolution.name}{GROUPS}"
    return "apps/v1", "Deployment", f"{resolution.name}{DEPLOYMENT}"


def _notes(resolution: Resolution) -> list[Note]:
    spec = resolution.spec
    assert isinstance(spec, InferenceSpec)
    text = f"port {PORT} of the Service {resolution.name}-kserve-workload-svc, which KServe makes"
    leads = (
        "clients can also connect to" if resolution.side is None else "also bypass the router at"
    )
    notes = [Note(f"{leads} {text}", Origin("spec", ("spec", "target")))]
    if spec.part_of is not None:
        text = f"{PART_OF} of the pods is KServe's, by which it finds them; the objects keep yours"
        notes.append(Note(text, Origin("spec", ("spec", "partOf"))))
    if spec.nodes > 1:
        text = (
            f"KServe needs the LLMInferenceServiceConfig {PRESET}, in namespace "
            f"{resolution.workload.namespace} or its own, and does not install it: create it "
            "with an empty spec, or with `gpuspec cluster render`"
        )
        return [*notes, Note(text, Origin("spec", ("spec", "nodes")), loud=True)]
    text = (
        "KServe puts all labels of the pods into its Deployment's selector, which is "
        "immutable: to change labels, delete the LLMInferenceService and create it again"
    )
    return [
        *notes,
        Note(text, Origin("derived", row="llminferenceservice")),
        *_rolling(resolution, spec),
    ]


def _rolling(resolution: Resolution, spec: InferenceSpec) -> list[Note]:
    """Return a note if a new pod may not fit while all old ones stay, which a Deployment of few
    replicas requires."""
    if least_replicas(spec) >= GOES_FIRST:
        return []
    held_claims = claims.kept(resolution, spec)
    if held_claims is None and rollout.bounds(resolution, spec, 1, "pod") is not None:
        return []
    lacks = f"the old pods hold {held_claims}" if held_claims else "no pool promises a `spare` slot"
    text = (
        f"with fewer than {GOES_FIRST} replicas KServe's Deployment stops an old pod only "
        f"when a new one is ready, but {lacks}: a rollout may wait until an old pod is "
        "deleted by hand"
    )
    # Of pools that nobody has described, nobody knows what is free.
    loud = held_claims is not None or bool(resolution.pools)
    return [Note(text, Origin("derived", row="llminferenceservice"), loud=loud)]


TARGET = Target(
    name="llminferenceservice",
    api=API,
    kind=KIND,
    intents=("service",),
    roles=("leader", "worker"),
    fields=_fields,
    needs=TargetRequirement("kserve", since="0.20", checked="0.20"),
    # Its pods are those of a LeaderWorkerSet, which has a name of its own.
    ranks=replace(RANKS, pods="app.kubernetes.io/name"),
    disaggregates=True,
    serves=ANSWERS,
    scaled=_scaled,
    revision="pod-template-hash",
    shared=_shared,
    refused=refused,
    notes=_notes,
)
