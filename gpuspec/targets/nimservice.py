"""NIMService (NIM Operator 3.1): servers of NVIDIA NIM, run by the operator as a Deployment.

Sources: NVIDIA/k8s-nim-operator v3.1.2, its CRD, `nimservice_types.go`, `manifests/deployment.yaml`
and the controller of its standalone platform. Tests check it against its CRD only.
"""

from collections.abc import Iterator, Mapping

import msgspec
from msgspec.structs import replace

from gpuspec.plan.decision import Decision, Note, Origin, PlanPart, derived, from_spec
from gpuspec.plan.distribution import most_replicas
from gpuspec.plan.facets import AutoscalerPlan, ContainerPlan, NodeMap, Nodes, Part, PodPlan
from gpuspec.plan.hub import token
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.target import Target, TargetInput, TargetRequirement
from gpuspec.spec import EnvSource, InferenceSpec
from gpuspec.spec.layout import HOME, MODEL_CACHE, SHM
from gpuspec.targets import _mounts, _nim

API = "api"
"""The operator's name of the container's port."""
KEY = "NGC_API_KEY"
"""The variable, and the key of the Secret, that NIM signs in to NVIDIA's catalogue with."""
_PORT = 8000


class NimPlan(msgspec.Struct, frozen=True):
    """A NIMService; the pod's fields are its own, without a template."""

    platform: PlanPart
    repository: PlanPart
    tag: PlanPart
    pull_secrets: PlanPart
    secret: PlanPart
    storage: NodeMap
    replicas: PlanPart
    scale: NodeMap
    service_type: PlanPart
    port: PlanPart
    claims: Nodes
    user: PlanPart
    group: PlanPart
    container: ContainerPlan
    pod: PodPlan


def _fields(of: TargetInput) -> Mapping[str, Part]:
    spec = of.resolution.spec
    assert isinstance(spec, InferenceSpec)
    (server,) = of.roles.values()
    pod = server.pod
    (main,) = pod.containers
    assert isinstance(main.image, Decision)
    assert isinstance(pod.security, Decision)
    repository, tag = _nim.parts(str(main.image.value))
    user = pod.security
    plan = NimPlan(
        platform=derived("nimservice", "standalone", "a Deployment of the operator's own"),
        repository=Decision(repository, "the image, up to its tag", main.image.origin),
        tag=Decision(tag, "the part behind the colon", main.image.origin),
        pull_secrets=_nim.names(pod.pull_secrets),
        secret=_secret(of.resolution),
        storage=_storage(spec, pod),
        replicas=of.replicas,
        scale=_scale(of.autoscaler),
        service_type=derived("nimservice", "ClusterIP", "clients connect to it, or to a route"),
        port=_port(spec),
        claims=_claims(pod),
        user=Decision(user.value["runAsUser"], user.reason, user.origin),
        group=Decision(user.value["runAsGroup"], user.reason, user.origin),
        container=_container(main),
        pod=pod,
    )
    return {"nimservice": plan}


def _claims(pod: PodPlan) -> Nodes:
    """Return the pod's claims, which the operator names itself and passes to the container."""
    resource_claims = [
        resource_claim
        for resource_claim in pod.resource_claims
        if isinstance(resource_claim, Decision)
    ]
    key = "resourceClaimTemplateName"
    return tuple(
        Decision({key: resource_claim.value[key]}, resource_claim.reason, resource_claim.origin)
        for resource_claim in resource_claims
    )


def _container(main: ContainerPlan) -> ContainerPlan:
    """Return the server's fields: its caches are in the operator's folder, and its port has the
    operator's name."""
    return replace(
        main,
        # The operator says which claims the container uses.
        resources={name: resource for name, resource in main.resources.items() if name != "claims"},
        env=tuple(
            variable
            for variable in main.env
            if not isinstance(variable, Decision)
            or not _lies_in_ours(variable)
            or variable.origin.kind == "spec"
        ),
        startup_probe=_nim.asking(main.startup_probe, API),
        readiness_probe=_nim.asking(main.readiness_probe, API),
        liveness_probe=_nim.asking(main.liveness_probe, API),
    )


def _lies_in_ours(variable: Decision) -> bool:
    """Return whether a variable names a folder that only gpuspec's own pods have."""
    return str(variable.value.get("value", "")).startswith((HOME, MODEL_CACHE))


def _storage(spec: InferenceSpec, pod: PodPlan) -> NodeMap:
    """Return the storage of downloads, and the size of shared memory."""
    hub = spec.model.source.hub if spec.model else None
    storage: dict[str, PlanPart] = {}
    if hub is not None and hub.cache:
        path = ("spec", "model", "source", "hub", "cache")
        why = "keeps downloads, so that pods do not download the weights again"
        storage["pvc"] = {"name": from_spec(path, hub.cache, why)}
    else:
        storage["emptyDir"] = {
            "sizeLimit": _limit(pod, HOME, "downloads, which are deleted with the pod")
        }
    storage["sharedMemorySizeLimit"] = _limit(
        pod, SHM, "shared memory, which has no limit by default"
    )
    return storage


def _limit(pod: PodPlan, at: str, why: str) -> Decision | None:
    """Return the size limit of the volume that is mounted at a path; None if it has none."""
    decision = _mounts.limit_at(pod, at)
    return decision and Decision(decision.value, why, decision.origin)


def _scale(autoscaler: AutoscalerPlan | None) -> NodeMap:
    if autoscaler is None:
        return {}
    return {
        "enabled": derived("nimservice", True, "the operator creates the autoscaler"),
        "hpa": {
            "minReplicas": autoscaler.min,
            "maxReplicas": autoscaler.max,
            "metrics": autoscaler.metrics,
            "behavior": autoscaler.behavior,
        },
    }


def _port(spec: InferenceSpec) -> Decision:
    port = spec.expose.container_port or spec.expose.port
    if port is None:
        return derived("nimservice", _PORT, "NIM's default, for container and Service")
    field = "containerPort" if spec.expose.container_port else "port"
    return from_spec(("spec", "expose", field), port, "for container and Service")


def _secret(resolution: Resolution) -> Decision | None:
    """Return the Secret that it signs in with: that of the model's hub, or the one in `env`."""
    for decision in token(resolution):
        secret = decision.value["valueFrom"]["secretKeyRef"]["name"]
        return Decision(
            secret, "NIM reads its key NGC_API_KEY, unless `env` has the variable", decision.origin
        )
    api_key = resolution.spec.env.get(KEY)
    if isinstance(api_key, EnvSource) and api_key.secret:
        return from_spec(("spec", "env", KEY), api_key.secret, "to sign in with")
    return None


def _refused(resolution: Resolution) -> list[RefusalReason]:
    """Return refusals for parts of a spec that have no field in a NIMService."""
    spec, place = resolution.spec, resolution.workload.place
    assert isinstance(spec, InferenceSpec)
    refusal_reasons = [
        RefusalReason(text, place(("spec", *path)), hint) for text, path, hint in _nim.untold(spec)
    ]
    if resolution.permit.level == "restricted":
        text = (
            f"namespace {resolution.permit.namespace} enforces restricted, which refuses the pods of the NIM "
            "Operator: their containers have no security context"
        )
        hint = "use a namespace that enforces baseline, or target: deployment"
        refusal_reasons.append(RefusalReason(text, place(("metadata", "namespace")), hint))
    if _secret(resolution) is None:
        text = "a NIMService must name a Secret to sign in with, but the spec has none"
        hint = f"write model.source.hub.tokenSecret, or env: {{{KEY}: {{secret: ngc, key: {KEY}}}}}"
        refusal_reasons.append(RefusalReason(text, place(("spec",)), hint))
    if resolution.profile.spec.provider == "openshift":
        text = (
            "pods of the NIM Operator set their user, which OpenShift's constraint does not allow"
        )
        refusal_reasons.append(RefusalReason(text, hint="write target: deployment"))
    return refusal_reasons


def _notes(resolution: Resolution) -> Iterator[Note]:
    """Yield notes on what the operator decides in pods, whatever the spec sets."""
    spec = resolution.spec
    assert isinstance(spec, InferenceSpec)
    path = ("spec", "runtime")
    if resolution.permit.level != "restricted":
        text = (
            "the NIM Operator gives its containers no security context, and mounts a token of their "
            f"ServiceAccount: namespace {resolution.permit.namespace} must not enforce Pod Security restricted"
        )
        yield Note(text, Origin("spec", path), loud=True)
    text = (
        "pods of the NIM Operator have 30s to stop and no preStop: requests may take "
        f"{spec.longest_request.seconds}s, and longer ones than 30s are cut off"
    )
    yield Note(text, Origin("spec", ("spec", "longestRequest")), loud=True)
    if most_replicas(spec) > 1:
        text = "the NIM Operator does not spread its pods: `availability` has no effect"
        yield Note(text, Origin("spec", ("spec", "availability")))


TARGET = Target(
    name="nimservice",
    api="apps.nvidia.com/v1alpha1",
    kind="NIMService",
    intents=("service",),
    roles=("server",),
    fields=_fields,
    # The class of priority came with 3.1.
    needs=TargetRequirement("nim-operator", since="3.1", checked="3.1", called="the NIM Operator"),
    runtimes=("nim",),
    service=lambda resolution: resolution.name,
    port=API,
    accounts=True,
    scaling="told",
    scaled=lambda resolution: ("apps/v1", "Deployment", resolution.name),
    revision="pod-template-hash",
    refused=_refused,
    notes=lambda resolution: [*_notes(resolution)],
)
