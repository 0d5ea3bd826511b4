"""Pods of a run that do not fit once the workers run, so that the run waits for itself.

Kubernetes starts whatever fits. Workers that fill their nodes leave no capacity for the pod that
starts them, in a cluster without other nodes. `fit` reports the same for empty nodes.
"""

import math
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from gpuspec.fleet import Host, host
from gpuspec.fleet import slots as slots_on
from gpuspec.manifests import Quantity
from gpuspec.plan.decision import Decision, Note, Origin
from gpuspec.plan.devices import device
from gpuspec.plan.facets import ContainerPlan, PodPlan, PodRole
from gpuspec.plan.needs import needs
from gpuspec.plan.required import architecture_of
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.tolerations import lets_in
from gpuspec.spec import Pool, model_of

_FIELDS = {"CPU": "resources.cpu", "memory": "resources.memory"}
"""Fields of the spec that leave more capacity on a worker's node."""


def notes(resolution: Resolution, roles: Mapping[str, PodRole], workers: str) -> list[Note]:
    """Return a loud note for each role of which no pod fits next to the workers of the run.

    None if a node may be larger than known, if GPUs are shared, and for pods without GPUs that the
    pools' taints exclude: these have other nodes.
    """
    if not resolution.pools or any(
        chosen.device_option.kind != "whole" for chosen in resolution.pools
    ):
        return []
    nodes_of_pool = {
        chosen.index: nodes for chosen in resolution.pools if (nodes := _nodes(chosen.pool))
    }
    if len(nodes_of_pool) < len(resolution.pools):
        return []
    worker = _worker(resolution, roles[workers].pod)
    workers_per_node = {
        chosen.index: slots_on(nodes_of_pool[chosen.index][0], worker)
        for chosen in resolution.pools
    }
    total = sum(workers_per_node[index] * count for index, (_, count) in nodes_of_pool.items())
    number = roles[workers].count.value
    if number > total:
        return []  # the workers themselves have no room, which is said of them
    crowd_notes: list[Note] = []
    for name, role in roles.items():
        pod = None if name == workers else _pod(resolution, role)
        if pod is None or (pod.gpus and role.path == ()):
            continue
        rooms = list(
            _rooms(resolution, pod, nodes_of_pool, workers_per_node, total - number, worker)
        )
        lacking = [None if room is None else _lacking(pod, room) for room in rooms]
        if lacking and all(lacking):
            sizes = dict.fromkeys(size for each_of in lacking if each_of for size in each_of)
            crowd_notes.append(_note(resolution, name, role, pod, list(sizes)))
    return crowd_notes


def _rooms(
    resolution: Resolution,
    pod: Host,
    nodes_of_pool: Mapping[int, tuple[Host, int]],
    workers_per_node: Mapping[int, int],
    spare: int,
    worker: Host,
) -> Iterator[Host | None]:
    """Yield the largest free capacity of a node in each pool that accepts the pod; None if it is
    not known.

    In a chosen pool, with as few workers on the node as the other nodes leave over.
    """
    chosen = {pool.index for pool in resolution.pools}
    for index, pool in enumerate(resolution.profile.spec.pools):
        if not _takes(resolution, pool, pod):
            continue
        if index in chosen:
            node, workers = nodes_of_pool[index], workers_per_node[index]
            yield _less(node[0], worker, max(0, workers - spare))
        elif not pod.gpus:
            nodes = _nodes(pool)
            yield None if nodes is None else nodes[0]


def _takes(resolution: Resolution, pool: Pool, pod: Host) -> bool:
    """Return whether only capacity can exclude a pod from a pool: pods without GPUs tolerate no
    taint."""
    if pool.most_nodes == 0 or pool.architecture != architecture_of(resolution).value:
        return False
    return bool(pod.gpus) or lets_in([], pool)


def _nodes(pool: Pool) -> tuple[Host, int] | None:
    """Return the capacity of a pool's node for pods, and the number of nodes; None if the profile
    states neither."""
    node, count = host(pool, model_of(pool)), pool.most_nodes
    if node is None or not count or pool.allocatable is None:
        return None
    return replace(node, gpus=pool.whole_gpus), count


def _worker(resolution: Resolution, pod: PodPlan) -> Host:
    main = _container(pod.containers[0])
    return needs(resolution).pod(main["cpu"], main["memory"], main["disk"], resolution.gpus)


def _pod(resolution: Resolution, role: PodRole) -> Host:
    """Return the request of a pod of another role, at least that of its init containers."""
    pod = role.pod
    sums = [_container(container) for container in pod.containers]
    first = [_container(init_container) for init_container in pod.init_containers]
    totals = {
        size: max(sum(amounts[size] for amounts in sums), *(amounts[size] for amounts in first), 0)
        for size in ("cpu", "memory", "disk")
    }
    gpus_of_roles = {
        ("spec", "roles", at): role.resources.gpus for at, role in enumerate(resolution.roles)
    }
    gpus = gpus_of_roles[role.path] if role.path in gpus_of_roles else _gpus(resolution, pod)
    return Host(cpu=totals["cpu"], memory=totals["memory"], disk=totals["disk"], gpus=gpus)


def _gpus(resolution: Resolution, pod: PodPlan) -> int:
    """Return the GPUs of a pod that the target adds."""
    if pod.resource_claims:
        return resolution.gpus
    main = pod.containers[0].resources.get("limits")
    requested_gpus = main.get(device(resolution)) if isinstance(main, Mapping) else None
    return (
        math.floor(Quantity.parse(requested_gpus.value).value)
        if isinstance(requested_gpus, Decision)
        else 0
    )


def _container(container_plan: ContainerPlan) -> dict[str, int]:
    requests = container_plan.resources.get("requests")
    quantities = requests if isinstance(requests, Mapping) else {}

    def amount(name: str, unit: int = 1) -> int:
        decision = quantities.get(name)
        return (
            math.floor(Quantity.parse(decision.value).value * unit)
            if isinstance(decision, Decision)
            else 0
        )

    return {
        "cpu": amount("cpu", 1000),
        "memory": amount("memory"),
        "disk": amount("ephemeral-storage"),
    }


def _less(node: Host, worker: Host, times: int) -> Host:
    """Return the capacity of a node less that of this number of workers."""
    return Host(
        cpu=node.cpu - times * worker.cpu,
        memory=node.memory - times * worker.memory,
        disk=None if node.disk is None else node.disk - times * (worker.disk or 0),
        gpus=node.gpus - times * worker.gpus,
    )


def _lacking(pod: Host, room: Host) -> list[str]:
    """Return the resources of which a pod requests more than is free."""
    over = {
        "CPU": pod.cpu > room.cpu,
        "memory": pod.memory > room.memory,
        "disk": room.disk is not None and (pod.disk or 0) > room.disk,
        "GPUs": pod.gpus > room.gpus,
    }
    return [name for name, lacks in over.items() if lacks]


def _note(resolution: Resolution, name: str, role: PodRole, pod: Host, lacking: list[str]) -> Note:
    names = " or ".join(chosen.pool.name for chosen in resolution.pools)
    text = (
        f"once the {resolution.workers} workers run, no node of {names} has the {' and '.join(lacking)} "
        f"for {name}"
    )
    if not pod.gpus:
        text += ": in a cluster without other nodes it stays Pending, and they wait for it"
    less = [field for resource_words, field in _FIELDS.items() if resource_words in lacking]
    if less:
        text += f"; a smaller {' and '.join(less)} fits"
    return Note(text, Origin("spec", role.path or ("spec", "workers")), loud=True)
