"""Additions of a fabric's recipe to a pod: volumes, a daemon, capabilities, the node's network."""

import math
from typing import Any

import msgspec

from gpuspec import hardware
from gpuspec.fleet import Host
from gpuspec.hardware import FabricDaemon
from gpuspec.manifests import Path, Quantity
from gpuspec.plan.decision import Decision, Note, Origin, derived, from_profile, from_table
from gpuspec.plan.fabric import added, fabric_pool, taken
from gpuspec.plan.facets import ContainerPlan, NodeMap
from gpuspec.plan.resolution import ChosenPool, RefusalReason, Resolution
from gpuspec.plan.security import WAIVER_PREFIX
from gpuspec.plan.volumes import Volumes
from gpuspec.spec import Pool, volume_name
from gpuspec.spec.rules.violation import camel

# The providers' manifests bound nothing: a limit that is too low would end the daemon, and all that
# goes over it.
DAEMON_CPU, DAEMON_MEMORY, DAEMON_DISK = "1", "1Gi", "1Gi"
# How long a daemon may take until it is ready: some 30s by the provider, with room for a slow node.
READY_PERIOD = 5
READY_FAILURES = 24


class _FabricRecipe(msgspec.Struct, frozen=True):
    """The recipe of the fabric that the pods use."""

    pool: ChosenPool
    recipe: hardware.Recipe

    @property
    def row(self) -> str:
        return f"hardware/recipes {self.recipe.name}"


def _used(resolution: Resolution) -> _FabricRecipe | None:
    chosen = fabric_pool(resolution)
    recipe = chosen.pool.rdma.known_recipe if chosen and chosen.pool.rdma else None
    return _FabricRecipe(chosen, recipe) if chosen and recipe else None


def taken_beside(pool: Pool) -> Host:
    """Return the requests of a recipe's daemon, next to the other containers."""
    recipe = pool.rdma.known_recipe if pool.rdma else None
    if recipe is None or recipe.daemon is None:
        return Host(cpu=0, memory=0, disk=0, gpus=0)
    sizes = [Quantity.parse(text).value for text in (DAEMON_CPU, DAEMON_MEMORY, DAEMON_DISK)]
    cpu, memory, disk = sizes
    return Host(
        cpu=math.floor(cpu * 1000), memory=math.floor(memory), disk=math.floor(disk), gpus=0
    )


def add_volumes(resolution: Resolution, volumes: Volumes) -> None:
    """Add the recipe's volumes, and mount those that the main container uses."""
    used = _used(resolution)
    if used is None:
        return
    for volume in used.recipe.volumes:
        # A folder that is not there is a plugin that was not installed: better said by the kubelet
        # than by a training that is slow.
        source: dict[str, Any] = (
            {"emptyDir": {"sizeLimit": volume.size}}
            if volume.folder is None
            else {"hostPath": {"path": volume.folder, "type": "Directory"}}
        )
        decision = from_table(
            used.row, None, "what the fabric's library and daemon need from the node"
        )
        at = used.recipe.mounts.get(volume.name)
        volumes.ours(
            volume.name, source, at, decision, read_only=volume.name in used.recipe.read_only
        )


def refused(resolution: Resolution) -> list[RefusalReason]:
    """Return refusals for names and paths in the spec that the recipe needs."""
    used = _used(resolution)
    if used is None:
        return []
    recipe, spec = used.recipe, resolution.spec
    volumes = {volume.name for volume in recipe.volumes}
    reasons: list[tuple[Path, str]] = []
    for field, group in (("initContainers", spec.init_containers), ("sidecars", spec.sidecars)):
        for index, container in enumerate(group):
            if recipe.daemon is not None and container.name == recipe.daemon.name:
                reasons.append((("spec", field, index, "name"), f"container {container.name}"))
    for index, volume in enumerate(spec.volumes):
        path: Path = ("spec", "volumes", index)
        if volume_name(volume) in volumes:
            reasons.append(((*path, "name"), f"volume {volume_name(volume)}"))
        if volume.mount.rstrip("/") in recipe.mounts.values():
            reasons.append(((*path, "mount"), f"the mount {volume.mount}"))
    brings = f"pool {used.pool.pool.name} sets by its recipe {recipe.name}"
    return [
        RefusalReason(f"{reason_text}: {brings}", resolution.workload.place(path), "delete it here")
        for path, reason_text in reasons
    ]


def permitted(resolution: Resolution, main: Decision) -> Decision:
    """Return the main container's security context with the fabric's exceptions, each with a
    written waiver."""
    used, chosen = _used(resolution), fabric_pool(resolution)
    rdma = chosen.pool.rdma if chosen else None
    capabilities = added(rdma, resolution.permit) if rdma else ()
    privileged = used is not None and used.recipe.privileged
    if not capabilities and not privileged:
        return main
    value = dict(main.value)
    if capabilities:
        value["capabilities"] = {**value["capabilities"], "add": list(capabilities)}
    if privileged:
        del value["allowPrivilegeEscalation"]  # which Kubernetes refuses beside `privileged`
        value["privileged"] = True
    reason = "what the fabric needs, see the waivers; else restricted"
    assert chosen is not None
    field = "recipe" if used else "memlock"
    return from_profile(chosen.path("rdma", field), value, reason)


def network(resolution: Resolution) -> tuple[Decision | None, Decision | None]:
    """Return `hostNetwork` and the matching DNS policy."""
    used = _used(resolution)
    if used is None or not used.recipe.host_network:
        return None, None
    return (
        from_table(used.row, True, "the fabric's adapters are only on the node's network"),
        from_table(
            used.row, "ClusterFirstWithHostNet", "workers find each other by the cluster's DNS"
        ),
    )


def waived(resolution: Resolution) -> tuple[dict[str, Decision], list[Note]]:
    """Return the pool's reasons for exceptions without a reason in the workload."""
    chosen = fabric_pool(resolution)
    rdma = chosen.pool.rdma if chosen else None
    if chosen is None or rdma is None:
        return {}, []
    annotations: dict[str, Decision] = {}
    notes: list[Note] = []
    for field in taken(rdma, resolution.permit):
        reason = getattr(rdma.waivers, field)
        if getattr(resolution.permit.waivers, field) is not None or reason is None:
            continue
        path, name = chosen.path("rdma", "waivers", camel(field)), field.replace("_", "-")
        annotations[WAIVER_PREFIX + name] = from_profile(path, reason, "a waiver needs a reason")
        notes.append(Note(f"waiver {name}: {reason}", Origin("profile", path)))
    return annotations, notes


def daemon(resolution: Resolution) -> tuple[ContainerPlan, ...]:
    """Return the recipe's daemon as a native sidecar, the last to start and the first that the main
    container needs."""
    used = _used(resolution)
    rdma = used.pool.pool.rdma if used else None
    if used is None or rdma is None or used.recipe.daemon is None:
        return ()
    row, fabric_daemon = used.row, used.recipe.daemon
    image = from_table(row, fabric_daemon.image, "the recipe's release")
    if rdma.daemon_image is not None:
        image = from_profile(
            used.pool.path("rdma", "daemonImage"), rdma.daemon_image, "the profile names it"
        )
    container_plan = ContainerPlan(
        name=from_table(
            row, fabric_daemon.name, "the annotation assigns devices to it by this name"
        ),
        image=image,
        command=from_table(row, list(fabric_daemon.command), "from the provider's manifest"),
        args=from_table(row, list(fabric_daemon.args) or None, "from the provider's manifest"),
        env=tuple(
            from_table(row, {"name": name, "value": value}, "from the provider's manifest")
            for name, value in fabric_daemon.env.items()
        ),
        resources={"requests": _requests()},
        restart_policy=derived(
            "sidecars", "Always", "a native sidecar: it does not keep a Job from ending"
        ),
        startup_probe=_ready(row, fabric_daemon),
        security=_rights(row, fabric_daemon),
        mounts=tuple(
            from_table(row, {"name": name, "mountPath": at}, "from the provider's manifest")
            for name, at in fabric_daemon.mounts.items()
        ),
    )
    return (container_plan,)


def _requests() -> NodeMap:
    why = "a generous guess without a limit: the provider states no number"
    requests = {"cpu": DAEMON_CPU, "memory": DAEMON_MEMORY, "ephemeral-storage": DAEMON_DISK}
    return {name: derived("fabric-daemon", amount, why) for name, amount in requests.items()}


def _ready(row: str, fabric_daemon: FabricDaemon) -> Decision | None:
    if not fabric_daemon.ready:
        return None
    probe = {
        "exec": {"command": list(fabric_daemon.ready)},
        "periodSeconds": READY_PERIOD,
        "failureThreshold": READY_FAILURES,
    }
    return from_table(row, probe, "the main container starts when the daemon is ready")


def _rights(row: str, fabric_daemon: FabricDaemon) -> Decision:
    # With what containers have by default, as the provider runs it: less is not known to do.
    value = {
        "runAsUser": 0,
        "runAsGroup": 0,
        "runAsNonRoot": False,
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": False,
        "capabilities": {"add": list(fabric_daemon.capabilities)},
    }
    return from_table(row, value, "as root and with capabilities, see the waivers")
