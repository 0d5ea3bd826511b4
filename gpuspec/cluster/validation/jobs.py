"""The Jobs of `cluster render --validation`: specs like any other, compiled for one pool each.

They get the same devices, tolerations, fabric and security as workloads. The pods hold all devices
of all nodes of the pool at the same time: if a node lacks one, a pod stays pending, and the Job
fails at its deadline.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from gpuspec.cluster.validation.scripts import ALL_REDUCE, FABRIC, NODE, NODES, SHARE
from gpuspec.enumeration import counted
from gpuspec.manifests import InputError, read, write
from gpuspec.plan import DeviceOption, Refusal, device_options, examine
from gpuspec.render import compile_case, shipped_templates
from gpuspec.spec import API_VERSION, Pool, Profile, model_of, parse_workload
from gpuspec.spec.node_validation import Validation

Object = dict[str, Any]
_JOINED = 2
"""Number of nodes to test over a fabric if the pool states none: the smallest that uses the
fabric."""
_MPI = "mpi-operator"
_MPIRUN = ("mpirun", "--bind-to", "none", "--map-by", "ppr:1:node")
"""One process on each node, with all of its GPUs."""
_LONGEST = 24  # of a pool's part: a slice's, a digest and numbers come behind it
_LIMIT = {"max": "30m"}
_KEPT = "1d"


def validation_jobs(profile: Profile) -> tuple[list[Object], tuple[str, ...]]:
    """Return the Jobs of all pools with their further objects, and notes on untested pools.

    Nothing if the profile has no `validation`.
    """
    validation = profile.spec.validation
    if validation is None:
        return [], ()
    objects: list[Object] = []
    notes: list[str] = []
    for pool, name in zip(profile.spec.pools, _names(profile.spec.pools), strict=True):
        if model_of(pool).vendor != "nvidia":
            notes.append(
                f"pool {pool.name}: gpuspec can list the GPUs of a node only with nvidia-smi"
            )
            continue
        notes += _assumed(pool)
        for spec in _specs(profile, pool, name, validation):
            try:
                objects += _compiled(profile, spec)
            except Refusal as refusal:
                notes += [f"pool {pool.name}: {reason.text}" for reason in refusal.reasons]
            except InputError as error:  # more of something than a spec can ask for
                notes += [f"pool {pool.name}: {problem.message}" for problem in error.problems]
    return objects, tuple(notes)


def _compiled(profile: Profile, spec: Object) -> list[Object]:
    (document,) = read(write([spec]), f"<validation {spec['metadata']['name']}>")
    resolution = examine(parse_workload(document), profile)
    return compile_case(resolution, shipped_templates()).objects


def _specs(profile: Profile, pool: Pool, name: str, validation: Validation) -> Iterator[Object]:
    for device_option in device_options(pool, model_of(pool)):
        if device_option.kind == "whole":
            yield _nodes_of(profile, pool, name, device_option, validation)
        else:
            yield _shares_of(pool, name, device_option, validation)


def _nodes_of(
    profile: Profile, pool: Pool, name: str, device_option: DeviceOption, validation: Validation
) -> Object:
    """Return a Job with one pod for each node, which has all of its GPUs; the pods run at the same
    time, over the fabric if there is one."""
    joined = pool.rdma is not None and pool.sharing is None
    nodes = _nodes(pool)
    gpu: Object = {"models": [pool.gpu.model], "count": device_option.on_node}
    env = _told(pool, "GPU", device_option.on_node)
    script, more = NODE, {"target": "job", "launcher": "none"}
    command = ["sh", "-c"]
    if nodes > 1 and joined:
        gpu["interconnect"] = "rdma"
        if _MPI in profile.spec.installed:
            more["target"] = "mpijob"
            command = [*_MPIRUN, "-np", str(nodes), *command]
        else:
            script = FABRIC
            env["ALL_REDUCE"] = ALL_REDUCE
    elif nodes > 1:
        script = NODES
    return _spec(
        "Training",
        name,
        validation,
        pool,
        gpu=gpu,
        workers=nodes,
        command=[*command, script, "validate", *validation.sample],
        env=env,
        retries={"limit": 0},
        **more,
    )


def _shares_of(
    pool: Pool, name: str, device_option: DeviceOption, validation: Validation
) -> Object:
    """Return a Job with one pod for each slice or share of all nodes, at the same time."""
    pods = _nodes(pool) * device_option.on_node
    wanted = f"MIG {device_option.profile}" if device_option.kind == "mig" else "GPU"
    return _spec(
        "BatchInference",
        f"{name}-{_slug(device_option.profile)}" if device_option.profile else name,
        validation,
        pool,
        gpu={"models": [pool.gpu.model], "memory": str(device_option.memory)},
        command=["sh", "-c", SHARE, "validate", *validation.sample],
        env=_told(pool, wanted, 1),
        shards={"count": pods, "parallelism": pods, "retries": 0, "maxFailed": pods - 1},
    )


def _told(pool: Pool, wanted: str, devices: int) -> Object:
    """Return the environment of the scripts. `wanted`: the prefix of a device's line in
    nvidia-smi's output."""
    env: Object = {
        "NODE_NAME": {"field": "spec.nodeName"},
        "WANTED": wanted,
        "DEVICES": str(devices),
    }
    return env if pool.driver is None else {**env, "DRIVER": pool.driver}


def _spec(kind: str, name: str, validation: Validation, pool: Pool, **fields: Any) -> Object:
    return {
        "apiVersion": API_VERSION,
        "kind": kind,
        "metadata": {"name": f"validate-{name}", "namespace": validation.namespace},
        "spec": {
            "image": validation.image,
            "place": {"pools": [pool.name]},
            "duration": _LIMIT,
            "ttlAfterFinished": _KEPT,
            **fields,
        },
    }


def _assumed(pool: Pool) -> Iterator[str]:
    if not pool.least_nodes:
        why = (
            "the profile gives no `nodes`" if pool.nodes is None else "it may be scaled to 0 nodes"
        )
        many = counted(_nodes(pool), "node")
        yield f"pool {pool.name}: {why}, so its Jobs validate {many}; write in `nodes` how many run"


def _nodes(pool: Pool) -> int:
    """Return the number of tested nodes of a pool: its smallest number of nodes, or else as few as
    possible."""
    joined = pool.rdma is not None and pool.sharing is None
    return pool.least_nodes or (_JOINED if joined else 1)


def _names(pools: Iterable[Pool]) -> list[str]:
    """Return unique names for pools in names of objects."""
    names: list[str] = []
    for pool in pools:
        wanted = _slug(pool.name)[:_LONGEST].strip("-") or "pool"
        name, number = wanted, 1
        while name in names:
            number += 1
            name = f"{wanted}-{number}"
        names.append(name)
    return names


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
