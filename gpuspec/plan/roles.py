"""Roles besides the workers: their pods, and how the pods of all roles address each other.

A pod of a role is a worker's pod with another container, so that all pods of a workload have one
user, priority and identity. Without GPUs it runs on nodes without GPUs: no toleration, no label of
GPU nodes.
"""

from msgspec.structs import replace

from gpuspec.enumeration import counted
from gpuspec.manifests import Path
from gpuspec.plan import containers, device_claims, interruption, metadata, placement, pod_metadata
from gpuspec.plan.common_facets import CommonFacets
from gpuspec.plan.decision import Decision, Note, Origin, derived, from_spec
from gpuspec.plan.devices import device
from gpuspec.plan.facets import ContainerPlan, NodeMap, Nodes, PodPlan, PodRole
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.resources import memory_limit
from gpuspec.plan.started import says_of_role
from gpuspec.plan.target import Target
from gpuspec.spec import MAIN_CONTAINER, TrainingFields, find_queue
from gpuspec.spec.layout import SHM, TMP
from gpuspec.spec.roles import Role as Asked
from gpuspec.spec.rules.roles import WORKER

# Seconds between two looks whether a role's port is open: the workers may wait for it.
LOOK = 5


def addresses(target: Target, spec: TrainingFields, name: Decision) -> tuple[Decision, ...]:
    """Return variables with the addresses of the pods of each role, the workers included."""
    assert target.beside is not None  # see targets.choose
    role_hosts: list[tuple[str, str, int, Path]] = [
        (WORKER, target.roles[0], spec.workers, ("spec", "workers"))
    ]
    role_hosts += [
        (role.name, role.name, role.count, ("spec", "roles", index))
        for index, role in enumerate(spec.roles)
    ]
    decisions: list[Decision] = []
    for called, role, pods, path in role_hosts:
        hosts = [target.beside.host(name.value, role, number) for number in range(pods)]
        variables = {"HOST": (hosts[0], f"the address of the first {called}")}
        if pods > 1:
            variables["HOSTS"] = (",".join(hosts), f"the address of each {called}, by its number")
        prefix = called.upper().replace("-", "_")
        for variable_name, (value, why) in variables.items():
            decisions.append(
                from_spec(path, {"name": f"{prefix}_{variable_name}", "value": value}, why)
            )
    return tuple(decisions)


def beside(
    parts: CommonFacets, spec: TrainingFields, workers: PodPlan, decisions: tuple[Decision, ...]
) -> dict[str, PodRole]:
    """Return the spec's roles, by name. `decisions`: variables with the addresses of
    the others."""
    roles: dict[str, PodRole] = {}
    for index, role in enumerate(spec.roles):
        path: Path = ("spec", "roles", index)
        pods = from_spec((*path, "count"), role.count, f"pods of role {role.name}")
        pod = _pod(parts, spec, role, path, workers, decisions)
        roles[role.name] = PodRole(pod, pods, role.starts, role.ends, path)
    return roles


def notes(resolution: Resolution, spec: TrainingFields) -> list[Note]:
    """Return the number of pods of each role, and their GPUs together."""
    parts = [f"{counted(spec.workers, 'worker')} × {counted(resolution.gpus, 'GPU')}"]
    gpus = spec.workers * resolution.gpus + resolution.gpus_of_roles
    for role in spec.roles:
        gpus_per_pod = role.resources.gpus
        parts.append(
            f"{role.count} {role.name}"
            + (f" × {counted(gpus_per_pod, 'GPU')}" if gpus_per_pod else "")
        )
    pods = spec.workers + sum(role.count for role in spec.roles)
    text = f"{' + '.join(parts)} = {counted(pods, 'pod')}, {counted(gpus, 'GPU')}"
    names = [role.name for role in spec.roles if not role.resources.gpus]
    path = ("spec", "roles")
    launched = [
        Note(options_text, Origin("spec", ("spec", "roles", index)), loud=True)
        for index, role in enumerate(spec.roles)
        if (options_text := says_of_role(role, spec))
    ]
    return [Note(text, Origin("spec", path)), *launched, *flavors(resolution, names, path)]


def flavors(resolution: Resolution, names: list[str], path: Path) -> list[Note]:
    """Return a loud note if the queue binds roles without GPUs to its own nodes, since each gets a
    flavor."""
    queue = find_queue(
        resolution.profile.spec.queues, resolution.spec.queue, resolution.workload.namespace
    )
    if queue is None or not queue.pools or not names:
        return []
    pools = " and ".join(part.pool for part in queue.pools)
    runs = "runs" if len(names) == 1 else "run"
    text = (
        f"queue {queue.name} admits only to nodes of pool {pools}: {' and '.join(names)} "
        f"{runs} there, unless it has a flavor of nodes without GPUs"
    )
    return [Note(text, Origin("spec", path), loud=True)]


def _pod(
    parts: CommonFacets,
    spec: TrainingFields,
    role: Asked,
    path: Path,
    workers: PodPlan,
    decisions: tuple[Decision, ...],
) -> PodPlan:
    resolution, gpus = parts.resolution, role.resources.gpus
    volumes, mounts = _storage(parts, role, path)
    env = {
        decision.value["name"]: decision
        for decision in (
            *containers.surroundings(resolution, role.env, gpus=gpus > 0),
            *decisions,
            *containers.spec_environment(role.env, (*path, "env")),
        )
    }
    main = ContainerPlan(
        name=derived("service", MAIN_CONTAINER, "the same in every workload"),
        image=from_spec((*path, "image"), role.image, containers.GIVEN)
        if role.image
        else from_spec(("spec", "image"), resolution.spec.image, "the workers' image"),
        pull_policy=containers.pulled(role.pull_policy, path)
        or (None if role.image else containers.pulled(resolution.spec.pull_policy, ("spec",))),
        security=parts.security.helper if role.image else parts.security.main,
        command=from_spec((*path, "command"), list(role.command) or None, containers.GIVEN),
        args=from_spec((*path, "args"), list(role.args) or None, containers.GIVEN),
        working_dir=from_spec((*path, "workingDir"), role.working_dir, containers.GIVEN),
        env=tuple(env.values()),
        env_from=containers.env_from(role.env_from, (*path, "envFrom")),
        resources=_resources(resolution, role, path),
        mounts=mounts,
    )
    if role.port is not None:
        look = {"tcpSocket": {"port": role.port}, "periodSeconds": LOOK}
        # What a CRD fills in of a pod is written out, like what its webhook does.
        port = {"containerPort": role.port, "protocol": "TCP"}
        main = replace(
            main,
            ports=(from_spec((*path, "port"), port, containers.GIVEN),),
            readiness_probe=from_spec((*path, "port"), look, "ready when it listens"),
        )
    pod = replace(
        workers,
        labels={**metadata.labels(resolution), **pod_metadata.labels(resolution, role, path)},
        annotations={
            **interruption.no_consolidation("all pods would restart with it"),
            **parts.security.annotations,
            **pod_metadata.annotations(resolution, role, path),
        },
        containers=(main,),
        init_containers=(),
        volumes=volumes,
        grace=interruption.grace(spec)
        or derived("job", interruption.DEFAULT_GRACE, "it saves nothing at the end"),
        affinity=parts.where.affinity,
        host_network=None,
        dns_policy=None,
    )
    if gpus:
        return replace(pod, resource_claims=device_claims.of_pod(resolution, gpus))
    return replace(
        pod,
        affinity=placement.without_gpus(resolution),
        tolerations=None,
        runtime_class=None,
        resource_claims=(),
    )


def _storage(parts: CommonFacets, role: Asked, path: Path) -> tuple[Nodes, Nodes]:
    """Return volumes and mounts: a writable folder, /dev/shm if requested, and the spec's
    mounts."""
    size, shm = str(role.resources.ephemeral_storage), role.resources.shm
    why = "the root file system is read-only, and it has no other writable folder"
    where = (*path, "resources")
    decisions = {
        TMP: from_spec(
            (*where, "ephemeralStorage"), {"name": "tmp", "emptyDir": {"sizeLimit": size}}, why
        )
    }
    if shm is not None:
        memory = {"medium": "Memory", "sizeLimit": str(shm)}
        decisions[SHM] = from_spec(
            (*where, "shm"),
            {"name": "shm", "emptyDir": memory},
            "set in the spec; counts inside the memory limit",
        )
    mounted = containers.mounted(role.mounts, path, parts.storage.names)
    mount_paths = {decision.value["mountPath"].rstrip("/") for decision in mounted}
    mounts = [
        Decision(
            {"name": decision.value["name"], "mountPath": at}, decision.reason, decision.origin
        )
        for at, decision in decisions.items()
        if at not in mount_paths
    ]
    mounted_volumes = {decision.value["name"] for decision in mounted} - {"tmp"}
    others = [volume for volume in parts.storage.volumes if volume.value["name"] in mounted_volumes]
    return (*decisions.values(), *others), (*mounts, *mounted)


def _resources(resolution: Resolution, role: Asked, path: Path) -> NodeMap:
    """Return requests and limits of the spec."""
    resources, where = role.resources, (*path, "resources")
    above = memory_limit(resources, where)
    equal = "the limit equals the request" if above is None else containers.GIVEN
    limits: dict[str, Decision] = {
        "memory": from_spec((*where, "memory"), str(resources.memory), equal),
        "ephemeral-storage": from_spec(
            (*where, "ephemeralStorage"),
            str(resources.ephemeral_storage),
            "the spec's value, or the default for a role; the limit equals the request",
        ),
    }
    if resources.gpus and not device_claims.is_claimed(resolution):
        words = "whole devices, requests equal limits"
        limits[device(resolution)] = from_spec((*where, "gpus"), str(resources.gpus), words)
    cpu = from_spec((*where, "cpu"), str(resources.cpu), "no limit: it may use idle CPUs")
    most = limits if above is None else {**limits, "memory": above}
    claims = device_claims.uses(resolution, resources.gpus)
    return {"requests": {"cpu": cpu, **limits}, "limits": most, **claims}
