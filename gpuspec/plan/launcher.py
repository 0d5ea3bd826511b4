"""The pod that starts all processes of a run in its workers: like a worker, without GPUs, data and
fabric."""

from msgspec.structs import replace

from gpuspec.manifests import Path, Quantity
from gpuspec.plan import (
    attachment,
    containers,
    placement,
    pod_metadata,
    scratch,
    security,
    sshd,
    topology,
)
from gpuspec.plan.decision import Decision, derived, from_spec
from gpuspec.plan.facets import ContainerPlan, NodeMap, Nodes, PodPlan
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.security import WAIVER_PREFIX
from gpuspec.plan.wording import GIB, up
from gpuspec.spec import TrainingFields
from gpuspec.spec.layout import HOME, SHM, TMP
from gpuspec.spec.mpi import LauncherResources, MpiLauncher

_FOLDER = GIB
_PATH = ("spec", "mpiLauncher")


def asked(resolution: Resolution) -> MpiLauncher:
    """Return the spec's fields for the launcher."""
    assert isinstance(resolution.spec, TrainingFields)
    return resolution.spec.mpi_launcher


def launcher(
    resolution: Resolution, pod: PodPlan, name: Decision, env: Nodes, wait: str
) -> PodPlan:
    """Return the launcher's pod, derived from a worker's. `env`: its own environment; `wait`: a
    script that ends when the workers are ready."""
    (main,) = pod.containers
    restricted = security.security(resolution).helper
    container_security = (
        security.as_main(resolution, restricted) if resolution.spec.capabilities else main.security
    )
    resources = _resources(resolution)
    mounts = (
        *_folders(resolution, mounts=True),
        *_shm(resolution, mounts=True),
        *_read(pod, main),
        *sshd.mounts(resolution),
    )
    launching = replace(
        main,
        security=container_security,
        env=(*main.env, *env),
        resources=resources,
        mounts=mounts,
    )
    waiting = ContainerPlan(
        name=derived("mpijob", "wait", "what it does"),
        image=main.image,
        pull_policy=main.pull_policy,
        security=restricted,
        command=derived(
            "mpijob",
            ["/bin/sh", "-c", wait],
            "a queue starts the launcher with the workers: it waits until it can reach them",
        ),
        env=tuple(containers.surroundings(resolution, {})),
        resources=resources,
        mounts=(_folders(resolution, mounts=True)[0],),
    )
    strange = {
        *attachment.annotations(resolution),
        *topology.annotations(resolution),
        f"{WAIVER_PREFIX}host-path",
    }
    if resolution.spec.capabilities:
        # The workers' alone.
        strange |= {f"{WAIVER_PREFIX}{name}" for name in ("capabilities", "writable-root")}
    return sshd.without_group(
        resolution,
        replace(
            pod,
            labels={**pod.labels, **pod_metadata.labels(resolution, asked(resolution), _PATH)},
            annotations={
                **{key: pod.annotations[key] for key in pod.annotations if key not in strange},
                **pod_metadata.annotations(resolution, asked(resolution), _PATH),
            },
            restart_policy=None,
            runtime_class=None,
            resource_claims=(),
            node_selector={},
            affinity=placement.without_gpus(resolution),
            tolerations=None,
            spread=None,
            init_containers=(waiting,),
            containers=(launching,),
            volumes=(
                *_folders(resolution, mounts=False),
                *_shm(resolution, mounts=False),
                *_readable(pod),
                sshd.volume(name),
            ),
        ),
    )


def _folders(resolution: Resolution, *, mounts: bool) -> tuple[Decision, ...]:
    """Return the launcher's writable places: volumes, or mounts of them."""
    decisions: list[Decision] = []
    disk = asked(resolution).resources.ephemeral_storage
    for name, at in (("tmp", TMP), ("home", HOME)):
        size = str(disk) if disk and name == "tmp" else up(_FOLDER)
        volume = {"name": name, "emptyDir": {"sizeLimit": size}}
        value = {"name": name, "mountPath": at} if mounts else volume
        decisions.append(derived("scratch", value, "the root file system is read-only"))
    return tuple(decisions)


def _shm(resolution: Resolution, *, mounts: bool) -> Nodes:
    """Return /dev/shm if the spec requests it: its volume, or the mount."""
    size = asked(resolution).resources.shm
    if size is None:
        return ()
    memory = {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": str(size)}}
    value = {"name": "shm", "mountPath": SHM} if mounts else memory
    why = "set in the spec; counts inside the memory limit"
    return (from_spec((*_PATH, "resources", "shm"), value, why),)


def _readable(pod: PodPlan) -> Nodes:
    """Return the pod's volumes that any node can mount without waiting for another pod."""
    return tuple(
        volume
        for volume in pod.volumes
        if isinstance(volume, Decision)
        and ("configMap" in volume.value or "secret" in volume.value)
    )


def _read(pod: PodPlan, main: ContainerPlan) -> Nodes:
    names = {node.value["name"] for node in _readable(pod) if isinstance(node, Decision)}
    return tuple(
        mount
        for mount in main.mounts
        if isinstance(mount, Decision) and mount.value["name"] in names
    )


def _resources(resolution: Resolution) -> NodeMap:
    resources = asked(resolution).resources
    path = (*_PATH, "resources")
    disk = resources.ephemeral_storage
    limits = {
        "memory": _amount(
            resources.memory, (*path, "memory"), "mpirun forwards the output of the processes"
        ),
        "ephemeral-storage": derived(
            "mpijob", up(2 * _FOLDER + scratch.LOGS), "/tmp, home and logs"
        )
        if disk is None
        else from_spec((*path, "ephemeralStorage"), str(disk), "the limit equals the request"),
    }
    why = "mpirun computes nothing; no limit: it may use idle CPUs"
    return {
        "requests": {"cpu": _amount(resources.cpu, (*path, "cpu"), why), **limits},
        "limits": limits,
    }


def _amount(size: Quantity, path: Path, why: str) -> Decision:
    """Return the spec's amount, or a sufficient default."""
    if size == getattr(LauncherResources(), str(path[-1])):
        return derived("mpijob", str(size), why)
    return from_spec(path, str(size), "as the spec says")
