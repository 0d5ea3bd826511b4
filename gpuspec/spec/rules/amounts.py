"""Rules for quantities and durations that cannot be intended, or contradict each other."""

from collections.abc import Iterator
from typing import Any

import msgspec

from gpuspec.manifests import Path, Quantity
from gpuspec.spec.envelope import Resources
from gpuspec.spec.roles import RoleResources
from gpuspec.spec.rules.violation import SpecViolation
from gpuspec.spec.types import Duration

MIB = 1 << 20
_HOLDERS = (msgspec.Struct, Quantity, Duration, tuple, dict)
# Fields whose quantity counts cores; every other one counts bytes, or bytes per second.
_CORES = ("cpu", "cpu_limit")
_PLAIN = ("weight",)
# Keys of a quota that count the same.
_HOST_RESOURCES = ("cpu", "memory", "ephemeral-storage")
# Amounts that have rules of their own: of many nodes together, and of what is no field.
_ELSEWHERE = ("patch", "quotas")
_MOST_CORES = 10_000
# Fields of which nothing is a sensible amount.
_MAY_BE_ZERO = ("save", "notice", "longest_request", "starting_deadline")
# Kubernetes counts such seconds in 32 bits.
_MOST_SECONDS = 2**31 - 1


def problems(model: Any, path: Path = ()) -> Iterator[SpecViolation]:
    """Yield violations for amounts in a model and its nested models."""
    for name, field in zip(model.__struct_fields__, model.__struct_encode_fields__, strict=True):
        value = getattr(model, name)
        if isinstance(value, _HOLDERS) and value != ():
            yield from _value(value, name, (*path, field))


def _value(value: object, name: str, path: Path) -> Iterator[SpecViolation]:
    if isinstance(value, msgspec.Struct):
        # What DaemonSets take may be nothing, or too little to count.
        if name != "reserved":
            yield from problems(value, path)
    elif isinstance(value, Quantity):
        yield from _quantity(value, name, path)
    elif isinstance(value, Duration):
        yield from _duration(value, name, path)
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from _value(item, name, (*path, index))
    elif isinstance(value, dict) and name not in _ELSEWHERE:
        for key, item in value.items():
            if name != "quota":
                yield from _value(item, name, (*path, key))
            elif key in _HOST_RESOURCES:  # devices are whole, and may be none
                yield from _value(item, key, (*path, key))


def _quantity(value: Quantity, name: str, path: Path) -> Iterator[SpecViolation]:
    label = path[-1]
    if not value:
        yield SpecViolation(f"`{label}` is zero", path, "delete the field, or set an amount")
    elif name in _PLAIN:
        return
    elif name in _CORES:
        if value > _MOST_CORES:
            message = f"`{label}` of {value} is more than any node has"
            yield SpecViolation(message, path, "it counts cores: 16, or 500m for half a core")
    elif value < MIB:
        yield SpecViolation(f"`{label}` of {value} is less than 1Mi", path, bytes_hint(value))


def bytes_hint(value: Quantity) -> str:
    """Return a hint for a number that is implausible as bytes."""
    if value.value.denominator == 1 and value.family == "decimal" and value.int_value < 100_000:
        return f"it counts bytes: did you mean {value.int_value}Gi or {value.int_value}Mi?"
    return "it counts bytes: write 500Mi, 16Gi"


_LEAST = "1s"


def _duration(value: Duration, name: str, path: Path) -> Iterator[SpecViolation]:
    if value.seconds == 0 and name not in _MAY_BE_ZERO:
        yield SpecViolation(f"`{path[-1]}` is zero", path, f"set at least {_LEAST}")
    if value.seconds > _MOST_SECONDS:
        yield SpecViolation(f"`{path[-1]}` of {value} is more than 68 years", path)


def resources(host_resources: Resources) -> Iterator[SpecViolation]:
    """Yield contradictions between host resources of the main container."""
    path: Path = ("spec", "resources")
    if (
        host_resources.cpu
        and host_resources.cpu_limit
        and host_resources.cpu_limit < host_resources.cpu
    ):
        yield SpecViolation(
            f"the CPU limit {host_resources.cpu_limit} is below the request {host_resources.cpu}",
            (*path, "cpuLimit"),
            needs=((*path, "cpu"),),
        )
    if host_resources.memory_limit and not host_resources.memory:
        yield SpecViolation(
            "a memory limit without a request",
            (*path, "memoryLimit"),
            "set `memory` too; alone it is request and limit",
            key=True,
            needs=((*path, "memory"),),
        )
    yield from memory(host_resources, path)
    if host_resources.hugepages or host_resources.extended:
        # Imported only for specs that have one: start-up counts.
        from gpuspec.spec.rules import other_resources

        yield from other_resources.problems(host_resources.hugepages, host_resources.extended, path)


def memory(host_resources: Resources | RoleResources, path: Path) -> Iterator[SpecViolation]:
    """Yield a memory limit below the request, and /dev/shm that takes all of the limit."""
    limit = host_resources.memory_limit or host_resources.memory
    if host_resources.memory and limit and limit < host_resources.memory:
        message = f"the memory limit {limit} is below the request {host_resources.memory}"
        needs: tuple[Path, ...] = ((*path, "memory"), (*path, "memoryLimit"))
        yield SpecViolation(message, (*path, "memoryLimit"), needs=needs)
    yield from shared_memory(host_resources.shm, limit, path)


def shared_memory(
    shm: Quantity | None, limit: Quantity | None, path: Path
) -> Iterator[SpecViolation]:
    """Yield a /dev/shm that takes all of the limit. `path`: of both."""
    if shm and limit and shm >= limit:
        yield SpecViolation(
            f"/dev/shm of {shm} fills the whole memory limit {limit}",
            (*path, "shm"),
            "files in /dev/shm count against the container's memory",
            needs=((*path, "memory"), (*path, "memoryLimit")),
        )


def run_time(expected: Duration | None, longest: Duration | None) -> Iterator[SpecViolation]:
    """Yield an expected time above the maximum."""
    if expected and longest and expected.seconds > longest.seconds:
        yield SpecViolation(
            f"expected to take {expected}, but stopped after {longest}",
            ("spec", "duration", "max"),
            needs=(("spec", "duration", "expected"),),
        )
