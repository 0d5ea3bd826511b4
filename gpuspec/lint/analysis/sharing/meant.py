"""Translate keys of one GPU sharing system into those of the system that places the pod.

Sources: KAI 0.20, pkg/binder/plugins/gpusharing (annotations, memory in MiB); HAMi 2.10,
pkg/device/nvidia/device.go (resources, memory in MiB and in percent); GPU feature discovery, the
label `nvidia.com/gpu.memory` in MiB.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from gpuspec.hardware.hami import HAMI_MEMORY
from gpuspec.lint.analysis.sharing.sharing import KAI
from gpuspec.numbers import read_decimal
from gpuspec.objects.containers import quantity

if TYPE_CHECKING:
    from gpuspec.objects.objects import Pod

KAI_SCHEDULERS = ("kai-scheduler", "runai-scheduler")
_HAMI_SCHEDULER = "hami-scheduler"
_MIB = 2**20
_FRACTION, _MEMORY = KAI
_OF_NODES = "nvidia.com/gpu.memory"
_AMOUNTS = (_OF_NODES, _MEMORY, HAMI_MEMORY[0])
_PARTS = (_FRACTION, HAMI_MEMORY[1])


class Meant(msgspec.Struct, frozen=True):
    """The key that the system reads, with the same amount in its units."""

    system: Literal["KAI", "HAMi"]
    key: str
    value: str

    @property
    def words(self) -> str:
        """The text to write, as part of a sentence."""
        if self.system == "KAI":
            return f'set the pod annotation `{self.key}: "{self.value}"`'
        return f"set `{self.key}: {self.value}` in a container's `limits`"


def meant(pod: Pod, key: str, value: object) -> Meant | None:
    """Return the right key for a share that a pod requests by another system's key; None if
    unknown."""
    scheduler = pod.spec.get("schedulerName")
    if scheduler in KAI_SCHEDULERS:
        system: Literal["KAI", "HAMi"] = "KAI"
        if pod.gpu_containers:
            # With a whole GPU nothing tells that a share was meant.
            return None
    elif scheduler == _HAMI_SCHEDULER:
        system = "HAMi"
    else:
        return None
    if key in _AMOUNTS:
        name = _MEMORY if system == "KAI" else HAMI_MEMORY[0]
        amount = _mebibytes(value)
    elif key in _PARTS:
        name = _FRACTION if system == "KAI" else HAMI_MEMORY[1]
        amount = _part(value, system)
    else:
        return None
    return None if amount is None or name == key else Meant(system, name, amount)


def _mebibytes(value: object) -> str | None:
    amount = quantity(value)
    if amount is None or amount.value <= 0:
        return None
    whole = amount.value.numerator // amount.value.denominator
    # Without a unit all of them count in MiB, and no GPU has a million of those.
    return str(whole // _MIB if whole >= _MIB else whole)


def _part(value: object, system: str) -> str | None:
    fraction = read_decimal(value)
    if fraction is None or not 0 < fraction <= 100:
        return None
    percent = fraction * 100 if fraction < 1 else fraction
    return f"{percent / 100:g}" if system == "KAI" else f"{percent:g}"
