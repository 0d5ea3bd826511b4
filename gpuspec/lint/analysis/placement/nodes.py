"""The nodes that a pod may run on, and how many pods of its shape fit on one.

With a profile, the nodes of its pools; without, common machine types with the GPU model or the
instance type in the pod's selectors.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import msgspec

from gpuspec.fleet import SYSTEM_PART, Host, host
from gpuspec.kinds.scale import Scale
from gpuspec.lint.analysis.placement import instances
from gpuspec.lint.analysis.placement.fabrics import fabric_names
from gpuspec.lint.analysis.placement.placing import in_all
from gpuspec.lint.analysis.sharing.sharing import is_part, lands
from gpuspec.objects.amounts import CPU, MEMORY, amounts
from gpuspec.objects.lazy import kept
from gpuspec.objects.scale import scale_of

if TYPE_CHECKING:
    from gpuspec.hardware import GpuModel, NodeShape
    from gpuspec.lint.context import Context
    from gpuspec.objects.devices import DeviceRequest
    from gpuspec.objects.objects import Pod
    from gpuspec.spec import Pool


class NodeKind(msgspec.Struct, frozen=True):
    """One kind of node with whole GPUs."""

    words: str
    """The words in a sentence: `a node of pool `h100``."""
    host: Host
    pool: Pool | None = None
    """None for a common machine type."""

    @property
    def most(self) -> int | None:
        """The largest number of nodes; None if unknown."""
        return None if self.pool is None else node_bounds(self.pool)[1]

    @property
    def weight(self) -> int:
        """GPUs of all nodes of this kind if their number is known, else of one node."""
        return self.host.gpus * (self.most or 1)


class NodeKinds(msgspec.Struct, frozen=True):
    """All kinds of nodes that a pod may run on."""

    kinds: tuple[NodeKind, ...]
    certain: bool
    """Whether they come from a profile, rather than from common machine types."""


def node_bounds(pool: Pool) -> tuple[int | None, int | None]:
    """Return the smallest and largest number of nodes of a pool; None if the profile has none."""
    if pool.nodes is None or isinstance(pool.nodes, int):
        return pool.nodes, pool.nodes
    return pool.nodes.min, pool.nodes.max


@kept
def whole_device(pod: Pod) -> DeviceRequest | None:
    """Return the resource of whole GPUs that a pod requests; None for shares, slices, and several
    resources."""
    if pod.gpus < 1 or is_part(pod) or pod.claims:
        return None
    devices = [device for c in pod.gpu_containers for device in c.devices if device.count != 0]
    if len({device.name for device in devices}) != 1 or devices[0].what.kind != "device":
        return None
    return devices[0]


def nodes(pod: Pod, context: Context) -> NodeKinds:
    """Return the nodes for a pod with whole GPUs; empty if a pool of shares or slices accepts it
    too."""
    if whole_device(pod) is None:
        return NodeKinds((), certain=False)
    if context.cluster is None or not context.cluster.pools:
        return _common(pod)
    node_kinds: list[NodeKind] = []
    requested = {
        str(name) for container in pod.every for name in (*container.limits, *container.requests)
    }
    for pool in lands(pod, context):
        if requested & fabric_names(context) - fabric_names(context, pool.pool):
            continue
        have = host(pool.pool, pool.model)
        if pool.pool.sharing is not None or have is None:
            return NodeKinds((), certain=True)
        node_kinds.append(NodeKind(f"a node of pool `{pool.pool.name}`", have, pool.pool))
    return NodeKinds(tuple(node_kinds), certain=True)


def shape(pod: Pod) -> Host:
    """Return what one pod asks of its node."""
    requested = amounts(pod)
    cpu, memory = requested.get(CPU, 0), requested.get(MEMORY, 0)
    thousandths = cpu.numerator * 1000 // cpu.denominator
    return Host(cpu=thousandths, memory=math.floor(memory), disk=None, gpus=pod.gpus, pods=1)


def pods(pod: Pod, context: Context) -> Scale:
    """Return the number of such pods that run at once; at least one if unknown."""
    scale = scale_of(pod, context.collection)
    return scale if isinstance(scale, Scale) else Scale(1, None)


def fewest(pod: Pod, context: Context) -> int:
    """Return the smallest number of such pods."""
    return pods(pod, context).least


@kept
def _common(pod: Pod) -> NodeKinds:
    """Return the machine types of the models, or instance types, that every alternative
    requires."""
    for requirement in in_all(pod):
        if requirement.operator == "In" and requirement.values:
            node_kinds = _machines(requirement.key, requirement.values)
            if node_kinds is not None:
                kinds = tuple(node for node in node_kinds if node.host.gpus >= pod.gpus)
                return NodeKinds(kinds, certain=False)
    return NodeKinds((), certain=False)


@lru_cache(256)
def _machines(key: str, values: tuple[str, ...]) -> tuple[NodeKind, ...] | None:
    """Return common machine types in a node label's values; None if no value is known."""
    from gpuspec import hardware

    if key in instances.TYPE:
        by_name = [_instances().get(value) for value in values]
        node_kinds = tuple(_machine(node_shape) for node_shape in by_name if node_shape is not None)
        return node_kinds if len(node_kinds) == len(values) else None
    models: list[GpuModel] = []
    for value in values:
        models += hardware.from_label(key, value)
    if not models:
        return None
    return tuple(
        _machine(node_shape) for model in models for node_shape in hardware.node_shapes(model)
    )


@lru_cache(256)
def models_named(key: str, values: tuple[str, ...]) -> frozenset[str]:
    """Return the GPU models in a node label's values; for instance types those of the machines;
    empty if any value is unknown."""
    from gpuspec import hardware

    model_names: set[str] = set()
    for value in values:
        if key in instances.TYPE:
            shape = _instances().get(value)
            models = [] if shape is None else [shape.model]
        else:
            models = [model.name for model in hardware.from_label(key, value)]
        if not models:
            return frozenset()
        model_names.update(models)
    return frozenset(model_names)


@cache
def _instances() -> dict[str, NodeShape]:
    from gpuspec import hardware

    return {
        node_shape.instance: node_shape
        for model in hardware.models()
        for node_shape in hardware.node_shapes(model)
    }


def _machine(node_shape: NodeShape) -> NodeKind:
    keep = 100 - SYSTEM_PART
    have = Host(node_shape.cpu * 10 * keep, node_shape.memory * keep // 100, None, node_shape.gpus)
    return NodeKind(f"a node `{node_shape.instance}`", have)
