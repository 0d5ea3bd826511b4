"""Check pools whose nodes cannot have the machine type in their label."""

from collections.abc import Iterator
from functools import cache

from gpuspec import hardware
from gpuspec.cluster.check.finding import CheckRemark, PoolAt
from gpuspec.hardware import INSTANCE_TYPE, NodeShape
from gpuspec.plan.wording import gib

_WHY = "what the nodes have decides how much CPU and memory goes with a GPU, and how many pods fit"


def machine_type(at: PoolAt) -> Iterator[CheckRemark]:
    """Yield differences in model, number of GPUs, CPU and memory from the machine type's
    specification."""
    instance = at.pool.labels.get(INSTANCE_TYPE, "")
    shapes = _machines().get(instance)
    if not shapes:
        # Not among the common machines: what EC2 says of every size of a family.
        if (sold := hardware.instance(instance)) is not None:
            yield from _sizes(at, instance, sold.cpu, sold.memory << 20)
        return
    if at.model.name not in (shape.model for shape in shapes):
        models = " or ".join(shape.model for shape in shapes)
        message = f"{instance} has {models}, but gpu.model says {at.model.name}"
        yield at.error(("gpu", "model"), message, _WHY, "correct gpu.model or the label")
        return
    shape = next(shape for shape in shapes if shape.model == at.model.name)
    count, per_gpu = at.pool.gpu.count, hardware.per_device(at.pool.gpu.resource, at.model)
    whole, unit = shape.gpus * per_gpu, "GPUs" if per_gpu == 1 else "cores"
    if whole not in (count, count + at.beside()):
        message = f"{instance} has {whole} {unit}, but gpu.count says {count}"
        yield at.error(("gpu", "count"), message, _WHY, f"write count: {whole}")
    yield from _sizes(at, instance, shape.cpu, shape.memory)


def _sizes(at: PoolAt, instance: str, cpu: int, memory: int) -> Iterator[CheckRemark]:
    """Yield resources with more allocatable than the machine type has."""
    have, where = at.pool.allocatable, ("labels", INSTANCE_TYPE)
    if have is None:
        return
    if have.cpu.value > cpu:
        message = f"{have.cpu} CPUs are allocatable, {instance} has {cpu}"
        yield at.error(("allocatable", "cpu"), message, _WHY, _fix(where))
    if have.memory.value > memory:
        message = f"{have.memory} is allocatable, {instance} has {gib(memory)}"
        yield at.error(("allocatable", "memory"), message, _WHY, _fix(where))


def _fix(where: tuple[str, str]) -> str:
    return f"write what `kubectl describe node` shows as Allocatable, or correct {where[1]}"


@cache
def _machines() -> dict[str, tuple[NodeShape, ...]]:
    """Return common machines by instance type."""
    machines: dict[str, tuple[NodeShape, ...]] = {}
    for model in hardware.models():
        for shape in hardware.node_shapes(model):
            machines[shape.instance] = (*machines.get(shape.instance, ()), shape)
    return machines
