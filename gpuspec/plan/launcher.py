"""The pod that starts all processes of a run in its workers: one of theirs without GPUs, data and fabric."""

from msgspec.structs import replace

from gpuspec.plan import attachment, containers, placement, scratch, security, sshd, topology
from gpuspec.plan.case import Case
from gpuspec.plan.facets import ContainerPlan, NodeMap, Nodes, PodPlan
from gpuspec.plan.leaf import Leaf, derived
from gpuspec.plan.security import WAIVER_PREFIX
from gpuspec.plan.words import GIB, up
from gpuspec.spec.layout import HOME, TMP

# mpirun computes nothing, and hands on what the processes print.
CPU = 1
MEMORY = GIB
_FOLDER = GIB


def launcher(case: Case, pod: PodPlan, name: Leaf, env: Nodes, wait: str) -> PodPlan:
    """The launcher's pod, from a worker's. `env`: its own; `wait`: a script that ends when it may start."""
    (main,) = pod.containers
    restricted = security.security(case).helper
    own = restricted if case.spec.capabilities else main.security
    resources = _resources()
    mounts = (*_folders(mounts=True), *_read(pod, main), *sshd.mounts(case))
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
        mounts=(_folders(mounts=True)[0],),
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
            annotations={
                key: pod.annotations[key] for key in pod.annotations if key not in strange
            },
            restart_policy=None,
            runtime_class=None,
            node_selector={},
            affinity=placement.without_gpus(case),
            tolerations=None,
            spread=None,
            init_containers=(waiting,),
            containers=(launching,),
            volumes=(*_folders(mounts=False), *_readable(pod), sshd.volume(name)),
        ),
    )


def _folders(*, mounts: bool) -> tuple[Leaf, ...]:
    """The places that the launcher writes to: volumes, or mounts of them."""
    found: list[Leaf] = []
    for name, at in (("tmp", TMP), ("home", HOME)):
        volume = {"name": name, "emptyDir": {"sizeLimit": up(_FOLDER)}}
        value = {"name": name, "mountPath": at} if mounts else volume
        found.append(derived("scratch", value, "the root file system is read-only"))
    return tuple(found)


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


def _resources() -> NodeMap:
    disk = up(2 * _FOLDER + scratch.LOGS)
    limits = {
        "memory": derived("mpijob", up(MEMORY), "mpirun hands on what the processes print"),
        "ephemeral-storage": derived("mpijob", disk, "/tmp, home and logs"),
    }
    why = "mpirun computes nothing; no limit: it may use idle CPUs"
    return {"requests": {"cpu": derived("mpijob", str(CPU), why), **limits}, "limits": limits}
