"""A long-running Ray cluster of one service: its workers, its head, and Ray's autoscaler.

Sources: KubeRay 1.6.2, `pod.go` and `rbac.go`; Ray 2.60.0, the autoscaler's `node_provider.py`.
"""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from gpuspec.plan import scaling, security
from gpuspec.plan.decision import Note, Origin, PlanPart, derived, from_spec
from gpuspec.plan.distribution import least_replicas, most_replicas
from gpuspec.plan.facets import DisruptionPlan, NodeMap, Nodes, PodPlan, PodRole
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.target import TargetInput
from gpuspec.spec import InferenceSpec, Replicas
from gpuspec.spec.layout import TMP
from gpuspec.targets import _mounts, _ray

WORKER, HEAD = "worker", "head"
DASHBOARD = 8265
"""The dashboard's port: every client that reaches it can run any code in the cluster."""
PORTS = {"gcs-server": 6379, "dashboard": DASHBOARD, "client": 10001}
"""Ports, by the names that KubeRay looks for, with Ray's defaults."""
_TOKEN = "autoscaler-token"
_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
_TOKEN_LIFE = 3607
"""Seconds, as in the tokens that Kubernetes mounts itself."""
_IDLE = 600
"""Idle seconds before a worker is removed: a new replica takes as long to load."""


class RayPlan(msgspec.Struct, frozen=True):
    """A Ray cluster; what its CRD would fill in is written out."""

    version: PlanPart
    autoscaling: PlanPart
    autoscaler: NodeMap
    head_params: NodeMap
    head: PodPlan
    group: PlanPart
    replicas: PlanPart
    least: PlanPart
    most: PlanPart
    hosts: PlanPart
    worker_params: NodeMap
    worker: PodPlan


def plan(of: TargetInput) -> RayPlan:
    """Return the cluster of a service."""
    spec = of.resolution.spec
    assert isinstance(spec, InferenceSpec)
    worker, head = of.roles[WORKER].pod, of.roles[HEAD].pod
    least, most = least_replicas(spec), most_replicas(spec)
    path, scales = ("spec", "replicas"), scales_itself(spec)
    why = "Ray's autoscaler adds workers for replicas that do not fit, and removes idle ones"
    return RayPlan(
        version=_ray.version(spec),
        autoscaling=from_spec(path, True, why) if scales else None,
        autoscaler=_autoscaler(of.resolution, head) if scales else {},
        head_params=_ray.head_params(of.resolution),
        head=head,
        group=derived("ray", "workers", "part of its pods' names"),
        # Written under an autoscaler, each sync would set it back.
        replicas=None if scales else from_spec(path, least, "the spec's replicas"),
        least=from_spec(path, least, "the minimum number of workers"),
        most=from_spec(path, most, "the maximum number of workers"),
        hosts=derived("ray", 1, "the API's default"),
        worker_params=_ray.worker_params(of.resolution, worker),
        worker=worker,
    )


def scales_itself(spec: InferenceSpec) -> bool:
    """Return whether the number of workers changes."""
    return least_replicas(spec) != most_replicas(spec)


def pods(of: TargetInput, ports: Mapping[str, int]) -> Mapping[str, PodRole]:
    """Return a worker and the head, from the pod that any target would have. `ports`: more of the
    head's."""
    spec, (workers,) = of.resolution.spec, of.roles.values()
    assert isinstance(spec, InferenceSpec)
    worker = _ray.workers(of.resolution, workers.pod, of.name)
    head = _ray.head(of.resolution, workers.pod, of.name, _ports(of.resolution, ports))
    if scales_itself(spec):
        never = derived("ray", "Never", "the autoscaler replaces a failed pod")
        worker, head = (
            replace(worker, restart_policy=never),
            replace(_with_token(head), restart_policy=never),
        )
    return {
        WORKER: PodRole(worker, workers.count),
        HEAD: PodRole(head, derived("ray", 1, "a cluster has one head")),
    }


def _ports(resolution: Resolution, more: Mapping[str, int]) -> Nodes:
    metrics = next(port for port in resolution.runtime.ports if port.name == "metrics")
    numbers_by_name = {**PORTS, metrics.name: metrics.number, **more}
    return tuple(
        derived(
            "ray",
            {"name": name, "containerPort": number},
            "KubeRay's Services send traffic to this port",
        )
        for name, number in numbers_by_name.items()
    )


def _autoscaler(resolution: Resolution, head: PodPlan) -> NodeMap:
    """Return fields of the container that KubeRay adds to the head: without them `restricted` would
    refuse the pod."""
    (main,) = head.containers
    mounts = [
        {"name": _TOKEN, "mountPath": _ACCOUNT, "readOnly": True},
        *({"name": name, "mountPath": TMP} for name in _mounts.names_at(head, TMP)),
    ]
    resources = {"cpu": "500m", "memory": "1Gi", "ephemeral-storage": "1Gi"}
    limits = {name: value for name, value in resources.items() if name != "cpu"}
    return {
        "version": derived("ray", "v2", "version 2, which Ray develops, for every release"),
        "idleTimeoutSeconds": derived(
            "ray", _IDLE, f"{_IDLE}s without work: a replica takes minutes to load again"
        ),
        "imagePullPolicy": main.pull_policy,
        "resources": derived(
            "ray", {"requests": resources, "limits": limits}, "it reads and writes one object"
        ),
        "securityContext": security.security(resolution).helper,
        "env": derived("ray", [{"name": "HOME", "value": TMP}], "a writable home"),
        "volumeMounts": derived(
            "ray", mounts, "the only container with a token for the API server"
        ),
    }


def _with_token(head: PodPlan) -> PodPlan:
    """Return a head with a token for the autoscaler's container, and none for programs that run
    beside it."""
    sources = [
        {"serviceAccountToken": {"path": "token", "expirationSeconds": _TOKEN_LIFE}},
        {
            "configMap": {
                "name": "kube-root-ca.crt",
                "items": [{"key": "ca.crt", "path": "ca.crt"}],
            }
        },
    ]
    volume = {"name": _TOKEN, "projected": {"sources": sources}}
    why = "the default token of pods, for one container only"
    return replace(head, volumes=(*head.volumes, derived("ray", volume, why)))


def disruption(spec: InferenceSpec) -> DisruptionPlan:
    """Return how many workers stay: Kubernetes cannot read the desired number of a Ray cluster."""
    least = least_replicas(spec)
    why = (
        "one worker at a time may be evicted; `maxUnavailable` needs a scale subresource, "
        "which a RayCluster does not have"
        if least > 1
        else "the only worker may be evicted: a budget that allows no eviction blocks every drain"
    )
    return DisruptionPlan(
        max_unavailable=None,
        eviction_policy=scaling.EVICTION,
        min_available=derived("ray", least - 1, why),
    )


def mates(name: str) -> Mapping[str, str]:
    """Return labels of all pods of a service's clusters."""
    return {_ray.PODS: name}


def head_labels(name: str) -> dict[str, str]:
    """Return labels of the heads of a service's clusters."""
    return {**mates(name), _ray.NODE_TYPE: HEAD}


def head_service(resolution: Resolution) -> str:
    """Return the Service of the head, which KubeRay makes."""
    return f"{resolution.name}-head-svc"


def refused(resolution: Resolution, kind: str, longest: int) -> list[RefusalReason]:
    """Return refusals for settings that no Ray cluster of a service supports."""
    spec, workload = resolution.spec, resolution.workload
    assert isinstance(spec, InferenceSpec)
    reasons = _ray.misnamed(resolution, resolution.name, kind, longest, "<name>")
    for field in ("command", "args"):
        if getattr(spec, field):
            text = f"KubeRay sets the command of a {kind}'s pods, which starts Ray"
            hint = f"delete `{field}`: write the application into `serve`, or submit a program"
            reasons.append(RefusalReason(text, workload.place(("spec", field)), hint))
    reasons += _ray.uncounted(resolution, "its clusters support GPUs of NVIDIA and AMD")
    if isinstance(spec.replicas, Replicas):
        reasons += _badly_scaled(resolution, spec, spec.replicas, kind)
    if spec.expose.ports:
        text = f"KubeRay creates the Services of a {kind}, without further `expose.ports`"
        reasons.append(
            RefusalReason(text, workload.place(("spec", "expose", "ports")), "delete them")
        )
    if spec.expose.through is not None:
        text = f"KubeRay creates the Services of a {kind}, and they do not route to a sidecar"
        place = workload.place(("spec", "expose", "through"))
        reasons.append(RefusalReason(text, place, "delete `expose.through`"))
    if spec.rollout.deadline is not None:
        text = f"KubeRay has no deadline for a change of a {kind}"
        place = workload.place(("spec", "rollout", "deadline"))
        reasons.append(RefusalReason(text, place, "delete `rollout.deadline`"))
    return reasons


def _badly_scaled(
    resolution: Resolution, spec: InferenceSpec, replicas: Replicas, kind: str
) -> list[RefusalReason]:
    place, reasons = resolution.workload.place, list[RefusalReason]()
    path = ("spec", "replicas")
    if spec.queue is not None and scales_itself(spec):
        text = f"Kueue does not admit a {kind} with an autoscaled cluster"
        hint = f"write replicas: {replicas.max}, or delete `queue`"
        reasons.append(RefusalReason(text, place(path), hint))
    is_set = {
        "metric": replicas.metric is not None,
        "metricFrom": replicas.metric_from is not None,
        "signal": replicas.signal == "cache",
    }
    text = "Ray's autoscaler adds workers for replicas that do not fit, and reads no metric"
    return reasons + [
        RefusalReason(text, place((*path, field)), f"delete `replicas.{field}`")
        for field, is_asked in is_set.items()
        if is_asked
    ]


def notes(resolution: Resolution) -> list[Note]:
    """Return a note on the ServiceAccount that can change the cluster."""
    spec = resolution.spec
    assert isinstance(spec, InferenceSpec)
    if not scales_itself(spec):
        return []
    account = spec.service_account or resolution.name
    text = (
        f"KubeRay allows ServiceAccount {account} to change RayClusters of the namespace and "
        "to read its pods; only the autoscaler's container has its token"
    )
    return [Note(text, Origin("spec", ("spec", "replicas")))]
