"""The pods of a Ray cluster, and the arguments of `ray start` in each. Sources: KubeRay 1.6.2,
`pod.go`, `job.go`."""

import math
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from gpuspec.manifests import Quantity
from gpuspec.numbers import is_digits, read_version
from gpuspec.plan import attachment, containers, placement, resources, security, topology
from gpuspec.plan.decision import Decision, PlanPart, derived, from_spec
from gpuspec.plan.devices import device
from gpuspec.plan.facets import ContainerPlan, NodeMap, Nodes, PodPlan
from gpuspec.plan.reduced_requests import leaving_room
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.wording import GIB, up
from gpuspec.spec import TrainingFields, WorkloadSpec
from gpuspec.spec.layout import SHM, TMP
from gpuspec.targets import _mounts

PODS = "ray.io/originated-from-cr-name"
"""The label whose value is the RayJob's name. KubeRay puts it on the cluster, and we on its pods."""
NODE_TYPE = "ray.io/node-type"
# The Service by which KubeRay reaches the head selects KubeRay's own value of it.
_NAME = "app.kubernetes.io/name"
_MAKERS = ("nvidia.com/", "amd.com/")
"""Whose devices Ray counts as GPUs."""
# GCS, dashboard, their agents and the command: below 4Gi the dashboard alone has the head killed.
_HEAD_CPU, _HEAD_MEMORY, _HEAD_SHM = 2000, 8 * GIB, 2 * GIB
# `ray job submit` asks, and then hands on what the command prints.
_SUBMIT_CPU, _SUBMIT_MEMORY, _SUBMIT_TMP = 500, GIB, GIB
# Half of /dev/shm is for others that write there: NCCL, data loaders.
_STORE_PART = 2
_LEAST_STORE = 75 << 20
"""Ray refuses an object store below it."""


def version(spec: WorkloadSpec) -> Decision | None:
    """Return the version of Ray, where the image is one of Ray's own and its tag begins with it."""
    project, _, image = spec.image.partition("@")[0].rpartition("/")
    numbers = read_version(image.partition(":")[2])
    if project.rpartition("/")[2] != "rayproject" or len(numbers) != 3:
        return None
    return from_spec(("spec", "image"), ".".join(map(str, numbers)), "the tag of Ray's own image")


def misnamed(
    resolution: Resolution, name: str, kind: str, longest: int, shape: str
) -> list[RefusalReason]:
    """Return refusals for a name that KubeRay does not accept; `shape`: its pattern, for people."""
    place, reasons = resolution.workload.place(("metadata", "name")), list[RefusalReason]()
    if is_digits(name[:1]):
        text = f"the {kind}'s name does not begin with a letter, which its Services' names need"
        reasons.append(RefusalReason(text, place))
    if (over := len(name) - longest) > 0:
        text = f"the name of the {kind} has {len(name)} characters, {over} too many"
        reasons.append(RefusalReason(text, place, f"it is {shape}, {longest} characters at most"))
    return reasons


def uncounted(resolution: Resolution, hint: str) -> list[RefusalReason]:
    """Return the refusal of devices that Ray does not count. `hint`: the vendors that it counts."""
    if device(resolution).startswith(_MAKERS):
        return []
    return [RefusalReason(f"Ray does not count {device(resolution)} as a GPU", hint=hint)]


def workers(
    resolution: Resolution, pod: PodPlan, name: Decision, *, submitted: bool = False
) -> PodPlan:
    """Return a worker's pod: KubeRay writes the command that joins the cluster.

    `submitted`: another pod submits the command.
    """
    labelled = replace(pod, labels={**pod.labels, **_label(name)})
    if getattr(resolution.spec, "queue", None) is None:
        return labelled
    if not submitted:
        return leaving_room(resolution, labelled, _HEAD_CPU, _HEAD_MEMORY, "the head")
    cpu, memory = _HEAD_CPU + _SUBMIT_CPU, _HEAD_MEMORY + _SUBMIT_MEMORY
    return leaving_room(resolution, labelled, cpu, memory, "head and submitter")


def head(resolution: Resolution, pod: PodPlan, name: Decision, ports: Nodes = ()) -> PodPlan:
    """Return the head's pod, from a worker's: without GPUs and their nodes, with the workers' data.

    KubeRay adds the probes.
    """
    (main,) = pod.containers
    volumes = [
        volume
        for volume in pod.volumes
        if isinstance(volume, Decision) and not _is_node_bound(volume)
    ]
    names = {volume.value["name"] for volume in volumes}
    shm = {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": up(_HEAD_SHM)}}
    mounts = [
        mount
        for mount in main.mounts
        if isinstance(mount, Decision) and mount.value["name"] in names
    ]
    limits = main.resources["limits"]
    assert isinstance(limits, Mapping)
    container = replace(
        main,
        security=security.security(resolution).main,
        env=_merged(containers.surroundings(resolution, {}), main.env),
        resources=_resources(
            _HEAD_CPU,
            derived("ray", up(_HEAD_MEMORY), "GCS, the dashboard and the command itself"),
            limits["ephemeral-storage"],
        ),
        ports=ports,
        startup_probe=None,
        readiness_probe=None,
        liveness_probe=None,
        lifecycle=None,
        mounts=(*mounts, derived("ray", {"name": "shm", "mountPath": SHM}, "the object store")),
    )
    labels = {key: value for key, value in pod.labels.items() if key != _NAME}
    return replace(
        _anywhere(resolution, pod),
        labels={**labels, **_label(name)},
        containers=(container,),
        volumes=(*volumes, derived("ray", shm, "for objects that tasks pass to each other")),
    )


def submitter(resolution: Resolution, spec: TrainingFields, pod: PodPlan) -> PodPlan:
    """Return the pod that submits the command to the head, and prints its output."""
    (main,) = pod.containers
    why = "the root file system is read-only"
    container = ContainerPlan(
        name=derived("ray", "submitter", "its task"),
        image=main.image,
        pull_policy=main.pull_policy,
        security=security.security(resolution).main,
        # `$(NAME)` in the command is filled in here.
        env=_merged(
            containers.surroundings(resolution, spec.env),
            containers.spec_environment(spec.env, ("spec", "env")),
        ),
        env_from=main.env_from,
        resources=_resources(
            _SUBMIT_CPU,
            derived("ray", up(_SUBMIT_MEMORY), "`ray job submit` and its libraries"),
            derived("ray", up(2 * _SUBMIT_TMP), "/tmp and logs"),
        ),
        mounts=(derived("ray", {"name": "tmp", "mountPath": TMP}, why),),
    )
    tmp = {"name": "tmp", "emptyDir": {"sizeLimit": up(_SUBMIT_TMP)}}
    return replace(
        _anywhere(resolution, pod), containers=(container,), volumes=(derived("ray", tmp, why),)
    )


def head_params(resolution: Resolution) -> dict[str, PlanPart]:
    """Return the resources that the head offers to tasks: no CPU, and no GPU even if its node shows
    some."""
    return {
        "num-cpus": derived("ray", "0", "tasks and data stay on the workers, away from the GCS"),
        "num-gpus": derived("ray", "0", "it has no GPU, even if its node shows some"),
        "object-store-memory": _store(_HEAD_SHM),
    }


def worker_params(resolution: Resolution, pod: PodPlan) -> dict[str, PlanPart]:
    """Return the resources that a worker offers to tasks: those of its container."""
    (main,) = pod.containers
    params: dict[str, PlanPart] = {}
    for parameter, kind, resource in (
        ("num-cpus", "requests", "cpu"),
        ("num-gpus", "", ""),
        ("memory", "limits", "memory"),
    ):
        amounts = main.resources[kind] if kind else {resource: resources.devices_asked(resolution)}
        assert isinstance(amounts, Mapping)
        decision = amounts[resource]
        assert isinstance(decision, Decision)
        value = str(max(math.floor(Quantity.parse(decision.value).value), 1))
        params[parameter] = Decision(value, "what its container has", decision.origin)
    size = _shm(pod)
    if size is not None and size // _STORE_PART >= _LEAST_STORE:
        params["object-store-memory"] = _store(size)
    return params


def _store(shm: int) -> Decision:
    why = "half of /dev/shm: NCCL and data loaders use it too"
    return derived("ray", str(shm // _STORE_PART), why)


def _shm(pod: PodPlan) -> int | None:
    """Return the bytes of /dev/shm, if the pod has one with a size limit."""
    limit = _mounts.limit_at(pod, SHM)
    return None if limit is None else math.floor(Quantity.parse(limit.value).value)


def _anywhere(resolution: Resolution, pod: PodPlan) -> PodPlan:
    """Return a pod of the workload that runs on any node without GPUs."""
    strange = {*attachment.annotations(resolution), *topology.annotations(resolution)}
    return replace(
        pod,
        annotations={key: pod.annotations[key] for key in pod.annotations if key not in strange},
        init_containers=(),
        runtime_class=None,
        resource_claims=(),
        node_selector={},
        affinity=placement.without_gpus(resolution),
        tolerations=None,
        spread=None,
        host_network=None,
        dns_policy=None,
    )


def _is_node_bound(volume: Decision) -> bool:
    """Return whether a volume is memory, or a folder of a GPU node."""
    memory = volume.value.get("emptyDir", {}).get("medium") == "Memory"
    return memory or "hostPath" in volume.value


def _label(name: Decision) -> dict[str, PlanPart]:
    return {PODS: Decision(name.value, "whose pods they are", name.origin)}


def _merged(first: Iterable[Decision], later: Nodes | Iterable[Decision]) -> tuple[Decision, ...]:
    """Return merged variables: a later one replaces an earlier one of its name, and comes last."""
    decisions: dict[str, Decision] = {}
    for decision in (*first, *later):
        assert isinstance(decision, Decision)
        decisions.pop(decision.value["name"], None)
        decisions[decision.value["name"]] = decision
    return tuple(decisions.values())


def _resources(cpu: int, memory: PlanPart, disk: PlanPart) -> NodeMap:
    """Return requests and limits of a pod without GPUs; `cpu` in millicores."""
    limits = {"memory": memory, "ephemeral-storage": disk}
    value = f"{cpu}m" if cpu % 1000 else str(cpu // 1000)
    decision = derived("ray", value, "no limit: it may use idle CPUs")
    return {"requests": {"cpu": decision, **limits}, "limits": limits}
