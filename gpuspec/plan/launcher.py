"""The pod that starts all processes of a run in its workers: one of theirs without GPUs, data and fabric."""

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
from gpuspec.plan.case import Case
from gpuspec.plan.facets import ContainerPlan, NodeMap, Nodes, PodPlan
from gpuspec.plan.leaf import Leaf, derived, from_spec
from gpuspec.plan.security import WAIVER_PREFIX
from gpuspec.plan.words import GIB, up
from gpuspec.spec import TrainingFields
from gpuspec.spec.layout import HOME, SHM, TMP
from gpuspec.spec.mpi import LauncherResources, MpiLauncher

_FOLDER = GIB
_PATH = ("spec", "mpiLauncher")


def asked(case: Case) -> MpiLauncher:
    """What the spec says of the launcher."""
    assert isinstance(case.spec, TrainingFields)
    return case.spec.mpi_launcher


def launcher(case: Case, pod: PodPlan, name: Leaf, env: Nodes, wait: str) -> PodPlan:
    """The launcher's pod, from a worker's. `env`: its own; `wait`: a script that ends when it may start."""
    (main,) = pod.containers
    restricted = security.security(case).helper
    own = security.as_main(case, restricted) if case.spec.capabilities else main.security
    resources = _resources(case)
    mounts = (
        *_folders(case, mounts=True),
        *_shm(case, mounts=True),
        *_read(pod, main),
        *sshd.mounts(case),
    )
    launching = replace(
        main,
        security=own,
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
        env=tuple(containers.surroundings(case, {})),
        resources=resources,
        mounts=(_folders(case, mounts=True)[0],),
    )
    strange = {
        *attachment.annotations(case),
        *topology.annotations(case),
        f"{WAIVER_PREFIX}host-path",
    }
    if case.spec.capabilities:
        # The workers' alone.
        strange |= {f"{WAIVER_PREFIX}{name}" for name in ("capabilities", "writable-root")}
    return sshd.without_group(
        case,
        replace(
            pod,
            labels={**pod.labels, **pod_metadata.labels(case, asked(case), _PATH)},
            annotations={
                **{key: pod.annotations[key] for key in pod.annotations if key not in strange},
                **pod_metadata.annotations(case, asked(case), _PATH),
            },
            restart_policy=None,
            runtime_class=None,
            resource_claims=(),
            node_selector={},
            affinity=placement.without_gpus(case),
            tolerations=None,
            spread=None,
            init_containers=(waiting,),
            containers=(launching,),
            volumes=(
                *_folders(case, mounts=False),
                *_shm(case, mounts=False),
                *_readable(pod),
                sshd.volume(name),
            ),
        ),
    )


def _folders(case: Case, *, mounts: bool) -> tuple[Leaf, ...]:
    """The places that the launcher writes to: volumes, or mounts of them."""
    found: list[Leaf] = []
    disk = asked(case).resources.ephemeral_storage
    for name, at in (("tmp", TMP), ("home", HOME)):
        size = str(disk) if disk and name == "tmp" else up(_FOLDER)
        volume = {"name": name, "emptyDir": {"sizeLimit": size}}
        value = {"name": name, "mountPath": at} if mounts else volume
        found.append(derived("scratch", value, "the root file system is read-only"))
    return tuple(found)


def _shm(case: Case, *, mounts: bool) -> Nodes:
    """/dev/shm where the spec asks for it: its volume, or the mount."""
    size = asked(case).resources.shm
    if size is None:
        return ()
    memory = {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": str(size)}}
    value = {"name": "shm", "mountPath": SHM} if mounts else memory
    why = "the spec asks for it; counts inside the memory limit"
    return (from_spec((*_PATH, "resources", "shm"), value, why),)


def _readable(pod: PodPlan) -> Nodes:
    """The pod's volumes that any node has at hand, which no other pod waits for."""
    return tuple(
        one
        for one in pod.volumes
        if isinstance(one, Leaf) and ("configMap" in one.value or "secret" in one.value)
    )


def _read(pod: PodPlan, main: ContainerPlan) -> Nodes:
    names = {one.value["name"] for one in _readable(pod) if isinstance(one, Leaf)}
    return tuple(one for one in main.mounts if isinstance(one, Leaf) and one.value["name"] in names)


def _resources(case: Case) -> NodeMap:
    own = asked(case).resources
    path = (*_PATH, "resources")
    disk = own.ephemeral_storage
    limits = {
        "memory": _amount(
            own.memory, (*path, "memory"), "mpirun hands on what the processes print"
        ),
        "ephemeral-storage": derived(
            "mpijob", up(2 * _FOLDER + scratch.LOGS), "/tmp, home and logs"
        )
        if disk is None
        else from_spec((*path, "ephemeralStorage"), str(disk), "the limit equals the request"),
    }
    why = "mpirun computes nothing; no limit: it may use idle CPUs"
    return {"requests": {"cpu": _amount(own.cpu, (*path, "cpu"), why), **limits}, "limits": limits}


def _amount(size: Quantity, path: Path, why: str) -> Leaf:
    """What the spec asks for, or what is enough where it says nothing."""
    if size == getattr(LauncherResources(), str(path[-1])):
        return derived("mpijob", str(size), why)
    return from_spec(path, str(size), "as the spec says")
