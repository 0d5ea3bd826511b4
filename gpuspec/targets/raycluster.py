"""RayCluster (KubeRay 1.6): a long-running Ray cluster that programs are submitted to. Sources: its
CRD, `validation.go` and its controller."""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from gpuspec.plan import queueing
from gpuspec.plan.decision import Decision, Note, Origin, PlanPart, derived, from_table
from gpuspec.plan.facets import NodeMap, ObjectPlan, Part, PodRole
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.target import Target, TargetInput, TargetRequirement
from gpuspec.spec import InferenceSpec
from gpuspec.spec.exposing import Rollout
from gpuspec.targets import _ray_cluster, _ray_network

LONGEST = 53
"""Characters of a RayCluster's name, from which KubeRay makes those of its Services."""
_CLIENTS = ("dashboard", "client")
"""Ports of the head, by name."""


class RayClusterPlan(msgspec.Struct, frozen=True):
    """A RayCluster; what its CRD would fill in is written out."""

    labels: NodeMap
    upgrade: NodeMap
    cluster: _ray_cluster.RayPlan


def _fields(of: TargetInput) -> Mapping[str, Part]:
    why = "a change replaces all pods at once: by default it would reach none"
    plan = RayClusterPlan(
        labels=queueing.labels(of.resolution),
        upgrade={"type": derived("ray", "Recreate", why)},
        cluster=_ray_cluster.plan(of),
    )
    return {"raycluster": plan}


def _pods(of: TargetInput) -> Mapping[str, PodRole]:
    """Return the cluster's pods, whose workers have no proxy of Serve to probe."""
    roles = _ray_cluster.pods(of, {})
    worker = roles[_ray_cluster.WORKER]
    (main,) = worker.pod.containers
    ports = tuple(
        port
        for port in main.ports
        if not isinstance(port, Decision) or port.value["name"] != "http"
    )
    main = replace(main, ports=ports, readiness_probe=_ready(of.resolution, main.readiness_probe))
    pod = replace(worker.pod, containers=(main,))
    return {**roles, _ray_cluster.WORKER: replace(worker, pod=pod)}


def _ready(resolution: Resolution, plan_part: PlanPart) -> PlanPart:
    """Return the spec's own probe, else one of the raylet."""
    spec, probes = resolution.spec, resolution.runtime.probes
    assert isinstance(spec, InferenceSpec)
    assert probes is not None
    if spec.probes.readiness is not None:
        return plan_part
    joined, ready = probes.startup, probes.readiness
    probe = {
        "httpGet": {"path": joined.path, "port": joined.port},
        "periodSeconds": ready.period,
        "timeoutSeconds": ready.timeout,
        "failureThreshold": ready.failures,
    }
    return from_table("runtimes/ray probes.startup", probe, joined.proves)


def _files(of: TargetInput) -> tuple[ObjectPlan, ...]:
    return _ray_network.head_policy(of, (_ray_cluster.DASHBOARD,), _CLIENTS)


def _refused(resolution: Resolution) -> list[RefusalReason]:
    """Return refusals for settings that a cluster without Serve does not support."""
    spec, workload = resolution.spec, resolution.workload
    assert isinstance(spec, InferenceSpec)
    reasons = _ray_cluster.refused(resolution, "RayCluster", LONGEST)
    if spec.serve is not None:
        text = "a RayCluster deploys no application: programs are submitted to it"
        place = workload.place(("spec", "serve"))
        reasons.append(RefusalReason(text, place, "write target: rayservice, or delete `serve`"))
    expose = spec.expose
    if any(value is not None for value in (expose.port, expose.container_port, expose.name)):
        text = (
            f"KubeRay creates the Service of a RayCluster, {_ray_cluster.head_service(resolution)}"
        )
        reasons.append(RefusalReason(text, workload.place(("spec", "expose")), "delete `expose`"))
    if spec.route is not None:
        text = "a route to a RayCluster would allow all its clients to run any code in it"
        reasons.append(RefusalReason(text, workload.place(("spec", "route")), "delete `route`"))
    if replace(spec.rollout, deadline=None) != Rollout():
        text = "all pods of a RayCluster are replaced at once"
        reasons.append(RefusalReason(text, workload.place(("spec", "rollout")), "delete `rollout`"))
    return reasons


def _notes(resolution: Resolution) -> list[Note]:
    """Return notes on what a change ends, and on the address for programs."""
    ends = (
        "a change of the pods deletes them all and restarts the cluster: running programs "
        "end with them"
    )
    where = (
        f"programs are submitted to {_ray_cluster.head_service(resolution)}, port "
        f"{_ray_cluster.DASHBOARD}; every client that reaches it can run any code in the "
        "cluster"
    )
    path = ("spec", "runtime")
    return [
        *_ray_cluster.notes(resolution),
        Note(ends, Origin("spec", path), loud=True),
        Note(where, Origin("spec", path)),
    ]


TARGET = Target(
    name="raycluster",
    api="ray.io/v1",
    kind="RayCluster",
    intents=("service",),
    roles=(_ray_cluster.WORKER, _ray_cluster.HEAD),
    fields=_fields,
    # Pods that a change replaces came with 1.6.
    needs=TargetRequirement("kuberay", since="1.6", checked="1.6", called="KubeRay"),
    pods=_pods,
    files=_files,
    runtimes=("ray",),
    service=_ray_cluster.head_service,
    others_answer=True,
    mates=_ray_cluster.mates,
    disruption=_ray_cluster.disruption,
    scaling="own",
    revision="ray.io/cluster",
    queued=True,
    refused=_refused,
    notes=_notes,
)
