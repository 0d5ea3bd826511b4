"""RayService (KubeRay 1.6): applications of Ray Serve in their own Ray cluster. Sources: its CRD,
`validation.go`, its controller and `service.go`."""

from collections.abc import Mapping

import msgspec

from gpuspec.enumeration import counted
from gpuspec.plan import queueing, rollout
from gpuspec.plan.decision import Decision, Note, Origin, PlanPart, derived, from_spec
from gpuspec.plan.distribution import most_replicas
from gpuspec.plan.drain import last_answer
from gpuspec.plan.facets import NodeMap, ObjectPlan, Part, PodRole
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.target import Target, TargetInput, TargetRequirement
from gpuspec.spec import InferenceSpec
from gpuspec.targets import _ray, _ray_cluster, _ray_network, _serve

LONGEST = 47
"""Characters of a RayService's name, from which KubeRay makes those of its clusters and their Services."""
_SERVE = "serve"
"""The port name that KubeRay looks for in head and Service."""
_ROLLOUT = ("spec", "rollout")


class RayServicePlan(msgspec.Struct, frozen=True):
    """A RayService; what its CRD would fill in is written out."""

    labels: NodeMap
    serve: PlanPart
    upgrade: NodeMap
    deletion_delay: PlanPart
    exclude_head: PlanPart
    service_name: PlanPart
    service_ports: PlanPart
    cluster: _ray_cluster.RayPlan


def _fields(of: TargetInput) -> Mapping[str, Part]:
    spec, service = of.resolution.spec, of.service
    assert isinstance(spec, InferenceSpec)
    assert service is not None
    front = service.ports[0]
    assert isinstance(front, Decision)
    number = front.value["port"]
    port = {"name": _SERVE, "protocol": "TCP", "port": number, "targetPort": _port(spec)}
    plan = RayServicePlan(
        labels=queueing.labels(of.resolution),
        serve=_serve.configuration(of.resolution, spec, of.weights, _port(spec)),
        upgrade={"type": _upgrade(of.resolution, spec)},
        deletion_delay=_deletion_delay(spec),
        exclude_head=derived("ray", True, "proxies run on the nodes of the replicas"),
        service_name=service.name,
        service_ports=Decision([port], front.reason, front.origin),
        cluster=_ray_cluster.plan(of),
    )
    return {"rayservice": plan}


def _port(spec: InferenceSpec) -> int:
    return spec.expose.container_port or _serve.PORT


def _upgrade(resolution: Resolution, spec: InferenceSpec) -> Decision:
    """Return an upgrade with a second cluster if its GPUs are promised; else without one, which
    would stay Pending."""
    cluster = most_replicas(spec)
    if spec.queue is not None:
        why = "Kueue stops the cluster when its pods change, and starts it again with the new ones"
        return from_spec(("spec", "queue"), "None", why)
    bounds = rollout.bounds(resolution, spec, cluster, "cluster")
    if bounds is None or not bounds.surge:
        why = (
            "the pool promises no spare slots for a second cluster of "
            f"{counted(cluster, 'worker')}, which would wait for GPUs that the first one holds"
        )
        return derived("ray", "None", why) if bounds is None else bounds.decision("None")
    return bounds.decision("NewCluster")


def _deletion_delay(spec: InferenceSpec) -> Decision:
    why = "the old cluster finishes its longest request after the switch"
    return derived("ray", last_answer(spec), why)


def _pods(of: TargetInput) -> Mapping[str, PodRole]:
    assert isinstance(of.resolution.spec, InferenceSpec)
    return _ray_cluster.pods(of, {_SERVE: _port(of.resolution.spec)})


def _files(of: TargetInput) -> tuple[ObjectPlan, ...]:
    assert isinstance(of.resolution.spec, InferenceSpec)
    return _ray_network.head_policy(of, (_ray_cluster.DASHBOARD, _port(of.resolution.spec)))


def _refused(resolution: Resolution) -> list[RefusalReason]:
    """Return refusals for a missing application, and for bounds of a rollout that KubeRay does not
    support."""
    spec, workload = resolution.spec, resolution.workload
    assert isinstance(spec, InferenceSpec)
    reasons = _ray_cluster.refused(resolution, "RayService", LONGEST)
    if spec.serve is None and spec.model is None:
        text = "Ray Serve has nothing to deploy: neither `serve` nor a `model`"
        hint = "write serve: {applications: [{import_path: module:app}]}, or target: raycluster"
        reasons.append(RefusalReason(text, workload.place(("spec", "runtime")), hint))
    surge, workers = spec.rollout.surge, most_replicas(spec)
    if surge is not None and 0 < surge < workers:
        text = (
            f"KubeRay replaces a RayService as a whole: a second cluster has all {workers} "
            f"workers, but `surge` allows {surge}"
        )
        place = workload.place((*_ROLLOUT, "surge"))
        reasons.append(RefusalReason(text, place, f"write surge: {workers}, or 0 for none"))
    return reasons


def _notes(resolution: Resolution) -> list[Note]:
    """Return notes on what a change waits for, and on the addresses for clients and people."""
    spec = resolution.spec
    assert isinstance(spec, InferenceSpec)
    upgrade, notes = _upgrade(resolution, spec), _ray_cluster.notes(resolution)
    if spec.queue is None and upgrade.value == "None":
        text = (
            "a change of the pods waits until its RayCluster is deleted (kubectl delete "
            f"rayclusters -l {_ray.PODS}={resolution.name}), since {upgrade.reason}; a change "
            "of `serve` applies at once"
        )
        notes.append(Note(text, upgrade.origin, loud=True))
    if spec.serve is None:
        text = "the image must contain vLLM and Ray, as rayproject/ray-llm does"
        notes.append(Note(text, Origin("spec", ("spec", "image"))))
    text = (
        f"dashboard: {_ray_cluster.head_service(resolution)}, port "
        f"{_ray_cluster.DASHBOARD}, a Service that KubeRay creates"
    )
    return [*notes, Note(text, Origin("spec", ("spec", "runtime")))]


def _service(resolution: Resolution) -> str:
    assert isinstance(resolution.spec, InferenceSpec)
    return resolution.spec.expose.name or resolution.name


TARGET = Target(
    name="rayservice",
    api="ray.io/v1",
    kind="RayService",
    intents=("service",),
    roles=(_ray_cluster.WORKER, _ray_cluster.HEAD),
    fields=_fields,
    # The type of an upgrade came with 1.3, the autoscaler's version with 1.4.
    needs=TargetRequirement("kuberay", since="1.4", checked="1.6", called="KubeRay"),
    pods=_pods,
    files=_files,
    runtimes=("ray",),
    service=_service,
    mates=_ray_cluster.mates,
    disruption=_ray_cluster.disruption,
    scaling="own",
    revision="ray.io/cluster",
    queued=True,
    refused=_refused,
    notes=_notes,
)
