"""Rules for the pools of a profile: GPUs, labels, taints, sizes and fabric."""

from collections.abc import Generator, Iterator

from gpuspec import hardware
from gpuspec.escaping.meant import did_you_mean
from gpuspec.hardware import GpuModel
from gpuspec.manifests import Path, label_key, label_value
from gpuspec.spec.pool_models import model_of
from gpuspec.spec.pools import REGION_LABEL, NodeCount, Pool, Taint
from gpuspec.spec.quoting import shown
from gpuspec.spec.rules import (
    claiming,
    fabric,
    other_resources,
    partitions,
    recipes,
    sharing,
    slices,
)
from gpuspec.spec.rules.devices import find, unknown
from gpuspec.spec.rules.metadata import labels
from gpuspec.spec.rules.resource_names import extended_resource
from gpuspec.spec.rules.violation import SpecViolation

ARCHITECTURE_LABEL = "kubernetes.io/arch"


def problems(pools: tuple[Pool, ...], provider: str) -> Iterator[SpecViolation]:
    """Yield violations of the rules for the pools of a provider's cluster."""
    names: set[str] = set()
    for index, pool in enumerate(pools):
        path: Path = ("spec", "pools", index)
        if pool.name in names:
            message = f"a second pool {shown(pool.name)}"
            yield SpecViolation(message, (*path, "name"), "give each its own name")
        names.add(pool.name)
        model = yield from _gpu(pool, path)
        yield from labels(pool.labels, (*path, "labels"))
        yield from _model_label(pool, path)
        yield from _contradictions(pool, model, path)
        yield from sharing.problems(pool, model, path)
        yield from claiming.problems(pool, model, path)
        if pool.gpu.topology is not None:
            yield from slices.pool_problems(pool, model, path)
        yield from _taints(pool.taints, path)
        yield from _sizes(pool, path)
        if pool.rdma is not None:
            yield from fabric.problems(pool.rdma, pool.gpu.resource, (*path, "rdma"))
            yield from recipes.problems(pool, pool.rdma, provider, (*path, "rdma"))
        for at, zone in enumerate(pool.zones):
            if zone in pool.zones[:at]:
                yield SpecViolation(f"zone {shown(zone)} is listed twice", (*path, "zones", at))


def _gpu(pool: Pool, path: Path) -> Generator[SpecViolation, None, GpuModel | None]:
    """Yield violations of the rules for the pool's GPU; returns its model, or None if it is
    ambiguous or unknown."""
    where: Path = (*path, "gpu", "model")
    gpu_models = find(pool.gpu.model)
    if reason := extended_resource(pool.gpu.resource):
        yield SpecViolation(reason, (*path, "gpu", "resource"))
    described = pool.gpu.memory is not None
    if gpu_models and (described or pool.gpu.compute_capability is not None):
        field = "memory" if described else "computeCapability"
        names = " or ".join(model.name for model in gpu_models)
        message = f"{shown(pool.gpu.model)} already means {names}"
        yield SpecViolation(
            message, (*path, "gpu", field), "delete it, or use another name for the model", key=True
        )
        return None
    if described:
        return model_of(pool)
    if not gpu_models:
        yield _undescribed(pool.gpu.model, where)
        return None
    if len(gpu_models) > 1:
        choices = ", ".join(model.name for model in gpu_models)
        yield SpecViolation(
            f"{shown(pool.gpu.model)} can mean {choices}", where, "a pool has one model"
        )
        return None
    model = gpu_models[0]
    if pool.gpu.partition is not None:
        yield from partitions.problems(pool, model, path)
        model = model_of(pool)
    device = hardware.resource(pool.gpu.resource)
    if device is not None and device.vendor != model.vendor:
        message = f"{pool.gpu.resource} is not a resource of {model.name}"
        hint = _whole(model.vendor)
        yield SpecViolation(message, (*path, "gpu", "resource"), hint, needs=(where,))
    return model


def _undescribed(name: str, where: Path) -> SpecViolation:
    broken = unknown(name, where)
    more = "For an unknown model set `memory` too, such as 431Gi"
    return SpecViolation(broken.message, where, f"{broken.hint} {more}")


def _whole(vendor: str) -> str | None:
    """Return a hint with the resource of a vendor's whole GPUs."""
    name = hardware.whole_resource(vendor)
    return f"set resource: {name}" if name else None


def _model_label(pool: Pool, path: Path) -> Iterator[SpecViolation]:
    key = pool.model_label
    if key is None or key in pool.labels:
        return
    hint = did_you_mean(key, pool.labels) or "add the label with its value to `labels`"
    yield SpecViolation(f"`labels` has no {shown(key)}", (*path, "modelLabel"), hint)


def _contradictions(pool: Pool, model: GpuModel | None, path: Path) -> Iterator[SpecViolation]:
    """Yield labels that contradict the pool's own fields."""
    labels = pool.labels
    if model is not None:
        if model.architecture not in (None, pool.architecture):
            yield SpecViolation(
                f"{model.name} has {model.architecture} hosts, but the pool's CPUs are "
                f"{pool.architecture}",
                (*path, "architecture"),
                f"set architecture: {model.architecture}",
                needs=((*path, "gpu"),),
            )
        yield from _products(pool, model, path)
    architecture = labels.get(ARCHITECTURE_LABEL)
    if architecture not in (None, pool.architecture):
        yield _contradiction(
            ARCHITECTURE_LABEL,
            f"the pool's architecture is {pool.architecture}",
            path,
            "architecture",
        )
    if pool.region is not None and labels.get(REGION_LABEL) not in (None, pool.region):
        said_there = f"the pool's region is {pool.region}"
        yield _contradiction(REGION_LABEL, said_there, path, "region")
    for key, value in hardware.SPOT_LABELS.items():
        if labels.get(key) == value and pool.capacity != "spot":
            yield _contradiction(key, f"the pool's capacity is {pool.capacity}", path, "capacity")


def _products(pool: Pool, model: GpuModel, path: Path) -> Iterator[SpecViolation]:
    for labeller in hardware.labellers().values():
        key = labeller.product
        if key is None or key not in pool.labels:
            continue
        gpu_models = hardware.from_label(labeller.name, pool.labels[key])
        if gpu_models and (model.whole or model) not in gpu_models:
            names = " or ".join(gpu_model.name for gpu_model in gpu_models)
            meaning = f"means {names}, but the pool's GPU is {(model.whole or model).name}"
            yield _contradiction(key, meaning, path, "gpu", states_meaning=True)


def _contradiction(
    key: str, statement: str, path: Path, field: str, *, states_meaning: bool = False
) -> SpecViolation:
    text = (
        f"label `{key}` {statement}"
        if states_meaning
        else f"label `{key}` contradicts the pool: {statement}"
    )
    hint = "one of the two is wrong: pods would go to other nodes than counted"
    return SpecViolation(text, (*path, "labels", key), hint, needs=((*path, field),))


def _taints(taints: tuple[Taint, ...], path: Path) -> Iterator[SpecViolation]:
    identities: set[tuple[str, str]] = set()
    for index, taint in enumerate(taints):
        where = (*path, "taints", index)
        if reason := label_key(taint.key):
            yield SpecViolation(f"{shown(taint.key)}, a taint's key: {reason}", (*where, "key"))
        if reason := label_value(taint.value):
            yield SpecViolation(
                f"{shown(taint.value)}, a taint's value: {reason}", (*where, "value")
            )
        if (taint.key, taint.effect) in identities:
            message = f"a second taint {shown(taint.key)} with effect {taint.effect}"
            yield SpecViolation(message, where, "a node has one taint of each key and effect")
        identities.add((taint.key, taint.effect))


def _sizes(pool: Pool, path: Path) -> Iterator[SpecViolation]:
    have, pages = pool.allocatable, pool.gpu.hugepages
    if have is not None:
        where = (*path, "allocatable")
        yield from other_resources.problems(have.hugepages, have.extended, where)
    if pages is not None and pages.value % fabric.HUGEPAGE:
        message = f"hugepages of {pages} are not a multiple of 2Mi"
        yield SpecViolation(message, (*path, "gpu", "hugepages"))
    for field, name in (
        ("cpu", "cpu"),
        ("memory", "memory"),
        ("ephemeralStorage", "ephemeral_storage"),
    ):
        allocatable = getattr(have, name) if have is not None else None
        reserved = getattr(pool.reserved, name)
        if allocatable is not None and reserved >= allocatable:
            yield SpecViolation(
                f"reserved {field} {reserved} uses up the {allocatable} allocatable",
                (*path, "reserved", field),
                needs=((*path, "allocatable"), (*path, "reserved")),
            )
    if isinstance(pool.nodes, NodeCount) and pool.nodes.min > pool.nodes.max:
        message = f"min {pool.nodes.min} is above max {pool.nodes.max}"
        yield SpecViolation(message, (*path, "nodes", "min"), needs=((*path, "nodes"),))
