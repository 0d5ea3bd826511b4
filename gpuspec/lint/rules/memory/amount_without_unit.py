"""An amount whose unit is missing, or another than is meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import mapping
from gpuspec.numbers import is_digits
from gpuspec.objects.containers import quantity
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU836",
    "amount-without-unit",
    "error",
    "An amount of memory or CPU has no unit, or the wrong one",
    fix="unsafe",
)
_MIB = 2**20
# containerd's runc takes no less for a container, and no program fits in it.
_LEAST = 4 * _MIB
# The largest machine on sale has 1920: u7inh-32tb of AWS.
_MOST_CPUS = 2000
_THOUSANDTHS = re.compile(r"([1-9][0-9]{0,5})m")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield requests and limits of containers, and the sizes of volumes that are emptied with the
    pod."""
    for container in pod.every:
        for field in ("limits", "requests"):
            amounts = mapping(container.resources.get(field))
            inside = container.path(container.resources_at, field)
            yield from _memory(amounts, inside, field == "limits")
            yield from _disk(
                amounts.get("ephemeral-storage"), (*inside, "ephemeral-storage"), field
            )
            yield from _cpu(amounts.get("cpu"), (*inside, "cpu"))
    for index, volume in pod.volumes.values():
        size = mapping(volume.get("emptyDir")).get("sizeLimit")
        path = pod.path("volumes", index, "emptyDir", "sizeLimit")
        yield from _disk(size, path, "limits")


def _memory(amounts: dict[str, Any], inside: Path, limit: bool) -> Iterator[RawFinding]:
    memory, path = amounts.get("memory"), (*inside, "memory")
    size = _small(memory, _LEAST)
    if size is None:
        return
    then = (
        "no container starts with so little memory"
        if limit
        else "the scheduler counts nothing, so the node fills up"
    )
    yield RawFinding(
        path,
        f"`memory: {memory}` is {size}: {then}",
        note=_note(memory),
        fix=_with_unit(memory, path),
        severity=None if limit else "warning",
    )


def _disk(amount_value: Any, path: Path, field: str) -> Iterator[RawFinding]:
    size = _small(amount_value, _MIB)
    if size is None:
        return
    then = (
        "the pod is evicted as soon as it writes more"
        if field == "limits"
        else "the scheduler counts nothing, so the node's disk fills up"
    )
    yield RawFinding(
        path,
        f"`{path[-1]}: {amount_value}` is {size}: {then}",
        note=_note(amount_value),
        fix=_with_unit(amount_value, path),
        severity="warning",
    )


def _cpu(amount_value: Any, path: Path) -> Iterator[RawFinding]:
    amount = quantity(amount_value)
    if amount is None or amount.value < _MOST_CPUS:
        return
    yield RawFinding(
        path,
        f"`cpu: {amount_value}` is {amount_value} cores: no node has that many, and the pod stays Pending",
        note="write `1m` for a thousandth of a core",
        fix=Fix(f"write `{amount_value}m`", (Put(path, f"{amount_value}m"),))
        if is_digits(str(amount_value))
        else None,
    )


def _small(amount_value: Any, least: int) -> str | None:
    """Return an implausibly small amount of bytes in words; None if it is plausible."""
    amount = quantity(amount_value)
    if amount is None or not 0 < amount.value < least:
        return None
    if _THOUSANDTHS.fullmatch(str(amount_value)):
        return f"{amount_value[:-1]} thousandths of a byte"
    # What is written with a unit is small on purpose.
    return f"{amount_value} bytes" if is_digits(str(amount_value)) else None


def _note(amount_value: Any) -> str:
    if _THOUSANDTHS.fullmatch(str(amount_value)):
        return "write `Mi` for mebibytes or `Gi` for gibibytes: `m` is a thousandth"
    return "write `Mi` for mebibytes or `Gi` for gibibytes: a number without a unit is bytes"


def _with_unit(amount_value: Any, path: Path) -> Fix | None:
    """Return the unit for which `m` was written; the unit missing after a bare number is unknown."""
    match = _THOUSANDTHS.fullmatch(str(amount_value))
    return None if match is None else Fix(f"write `{match[1]}Mi`", (Put(path, f"{match[1]}Mi"),))
