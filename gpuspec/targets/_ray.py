"""The pods of a Ray cluster, and what `ray start` is told in each. Sources: KubeRay 1.6.2, `pod.go`, `job.go`."""

import math
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from gpuspec.manifests import Quantity
from gpuspec.numbers import is_digits, read_version
from gpuspec.plan import attachment, containers, placement, resources, security, topology
from gpuspec.plan.case import Case, Refused
from gpuspec.plan.devices import device
from gpuspec.plan.facets import ContainerPlan, NodeMap, Nodes, PodPlan
from gpuspec.plan.leaf import Leaf, Node, derived, from_spec
from gpuspec.plan.leaving_room import leaving_room
from gpuspec.plan.words import GIB, up
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


def version(spec: WorkloadSpec) -> Leaf | None:
    """The version of Ray, where the image is one of Ray's own and its tag begins with it."""
    project, _, image = spec.image.partition("@")[0].rpartition("/")
    numbers = read_version(image.partition(":")[2])
    if project.rpartition("/")[2] != "rayproject" or len(numbers) != 3:
        return None
    return from_spec(("spec", "image"), ".".join(map(str, numbers)), "the tag of Ray's own image")


def misnamed(case: Case, name: str, kind: str, longest: int, shape: str) -> list[Refused]:
    """What KubeRay does not take as a name; `shape`: how it is made, for people."""
    place, found = case.workload.place(("metadata", "name")), list[Refused]()
    if is_digits(name[:1]):
        text = f"a {kind}'s Services are named after it, and their names begin with a letter"
        found.append(Refused(text, place))
    if (over := len(name) - longest) > 0:
        text = f"the name of the {kind} has {len(name)} characters, {over} too many"
        found.append(Refused(text, place, f"it is {shape}, {longest} characters at most"))
    return found


def uncounted(case: Case, hint: str) -> list[Refused]:
    """Devices that Ray does not count. `hint`: whose it does."""
    if device(case).startswith(_MAKERS):
        return []
    return [Refused(f"Ray counts no {device(case)} as a GPU", hint=hint)]


def workers(case: Case, pod: PodPlan, name: Leaf, *, submitted: bool = False) -> PodPlan:
    """A worker's pod: KubeRay writes the command that joins the cluster.

    `submitted`: another pod submits the command.
    """
    labelled = replace(pod, labels={**pod.labels, **_label(name)})
    if getattr(case.spec, "queue", None) is None:
        return labelled
    if not submitted:
        return leaving_room(case, labelled, _HEAD_CPU, _HEAD_MEMORY, "the head")
    cpu, memory = _HEAD_CPU + _SUBMIT_CPU, _HEAD_MEMORY + _SUBMIT_MEMORY
    return leaving_room(case, labelled, cpu, memory, "head and submitter")


def head(case: Case, pod: PodPlan, name: Leaf, ports: Nodes = ()) -> PodPlan:
    """The head's pod, from a worker's: without GPUs and their nodes, with the workers' data.

    KubeRay gives it its probes.
    """
    (main,) = pod.containers
    volumes = [one for one in pod.volumes if isinstance(one, Leaf) and not _is_node_bound(one)]
    kept = {one.value["name"] for one in volumes}
    shm = {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": up(_HEAD_SHM)}}
    mounts = [one for one in main.mounts if isinstance(one, Leaf) and one.value["name"] in kept]
    limits = main.resources["limits"]
    assert isinstance(limits, Mapping)
    container = replace(
        main,
        security=security.security(case).main,
        env=_merged(containers.surroundings(case, {}), main.env),
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
        _anywhere(case, pod),
        labels={**labels, **_label(name)},
        containers=(container,),
        volumes=(*volumes, derived("ray", shm, "for what tasks hand to each other")),
    )


def submitter(case: Case, spec: TrainingFields, pod: PodPlan) -> PodPlan:
    """The pod that hands the command to the head, and prints what it prints."""
    (main,) = pod.containers
    why = "the root file system is read-only"
    container = ContainerPlan(
        name=derived("ray", "submitter", "what it does"),
        image=main.image,
        pull_policy=main.pull_policy,
        security=security.security(case).main,
        # `$(NAME)` in the command is filled in here.
        env=_merged(
            containers.surroundings(case, spec.env),
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
        _anywhere(case, pod), containers=(container,), volumes=(derived("ray", tmp, why),)
    )


def head_params(case: Case) -> dict[str, Node]:
    """What the head offers to tasks: no GPU, whatever its node shows, and no CPU."""
    return {
        "num-cpus": derived("ray", "0", "tasks and data run on workers, and not beside the GCS"),
        "num-gpus": derived("ray", "0", "it has no GPU, whatever its node shows it"),
        "object-store-memory": _store(_HEAD_SHM),
    }


def worker_params(case: Case, pod: PodPlan) -> dict[str, Node]:
    """What a worker offers to tasks: what its container has."""
    (main,) = pod.containers
    found: dict[str, Node] = {}
    for parameter, kind, resource in (
        ("num-cpus", "requests", "cpu"),
        ("num-gpus", "", ""),
        ("memory", "limits", "memory"),
    ):
        amounts = main.resources[kind] if kind else {resource: resources.devices_asked(case)}
        assert isinstance(amounts, Mapping)
        leaf = amounts[resource]
        assert isinstance(leaf, Leaf)
        value = str(max(math.floor(Quantity.parse(leaf.value).value), 1))
        found[parameter] = Leaf(value, "what its container has", leaf.origin)
    size = _shm(pod)
    if size is not None and size // _STORE_PART >= _LEAST_STORE:
        found["object-store-memory"] = _store(size)
    return found


def _store(shm: int) -> Leaf:
    why = "half of /dev/shm: NCCL and data loaders write there too"
    return derived("ray", str(shm // _STORE_PART), why)


def _shm(pod: PodPlan) -> int | None:
    """The bytes of /dev/shm, where the pod has one that is bounded."""
    limit = _mounts.limit_at(pod, SHM)
    return None if limit is None else math.floor(Quantity.parse(limit.value).value)


def _anywhere(case: Case, pod: PodPlan) -> PodPlan:
    """A pod of the workload that goes to any node without GPUs."""
    strange = {*attachment.annotations(case), *topology.annotations(case)}
    return replace(
        pod,
        annotations={key: pod.annotations[key] for key in pod.annotations if key not in strange},
        init_containers=(),
        runtime_class=None,
        resource_claims=(),
        node_selector={},
        affinity=placement.without_gpus(case),
        tolerations=None,
        spread=None,
        host_network=None,
        dns_policy=None,
    )


def _is_node_bound(volume: Leaf) -> bool:
    """Whether a volume is memory, or a place of a node that has GPUs."""
    memory = volume.value.get("emptyDir", {}).get("medium") == "Memory"
    return memory or "hostPath" in volume.value


def _label(name: Leaf) -> dict[str, Node]:
    return {PODS: Leaf(name.value, "whose pods they are", name.origin)}


def _merged(first: Iterable[Leaf], later: Nodes | Iterable[Leaf]) -> tuple[Leaf, ...]:
    """Variables, of which later ones win by name and stand last."""
    found: dict[str, Leaf] = {}
    for leaf in (*first, *later):
        assert isinstance(leaf, Leaf)
        found.pop(leaf.value["name"], None)
        found[leaf.value["name"]] = leaf
    return tuple(found.values())


def _resources(cpu: int, memory: Node, disk: Node) -> NodeMap:
    """Requests and limits of a pod without GPUs; `cpu` in millicores."""
    limits = {"memory": memory, "ephemeral-storage": disk}
    value = f"{cpu}m" if cpu % 1000 else str(cpu // 1000)
    asked = derived("ray", value, "no limit: it may use idle CPUs")
    return {"requests": {"cpu": asked, **limits}, "limits": limits}
