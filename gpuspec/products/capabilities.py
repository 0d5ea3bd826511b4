"""The compute capabilities of the GPUs that an image holds code for."""

from __future__ import annotations

import re
from functools import cache

import msgspec
from msgspec import Struct

from gpuspec.manifests.tables import table
from gpuspec.numbers import read_version
from gpuspec.products.cuda import build_of
from gpuspec.products.load import DATA

Capability = tuple[int, ...]


class _OtherBuild(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    runs: str
    use: str


class _BuildFamily(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    says: str
    instead: tuple[_OtherBuild, ...]


class _CapabilityRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    source: str
    of: str
    runs: tuple[str, ...] = ()


class _BuiltImage(_CapabilityRow, frozen=True, kw_only=True, forbid_unknown_fields=True):
    repository: str
    tag: str
    until: str = ""


class _CapabilityTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    sources: dict[str, str]
    families: dict[str, _BuildFamily]
    images: tuple[_BuiltImage, ...]
    cuda: dict[str, _CapabilityRow]


class GpuCode(Struct, frozen=True):
    """The GPUs that an image holds code for."""

    runs: tuple[str, ...]
    """Ranges of compute capabilities, both ends included."""
    says: str
    """What the program does on another GPU, as the end of a sentence."""
    instead: tuple[_OtherBuild, ...]

    def runs_on(self, capability: Capability) -> bool:
        """Return whether the image holds code for GPUs of a compute capability."""
        return any(_is_within(capability, reach) for reach in self.runs)

    def build_for(self, capability: Capability) -> str:
        """Return the build that runs on GPUs of a compute capability; empty if there is none."""
        rows = (row.use for row in self.instead if _is_within(capability, row.runs))
        return next(rows, "")


def gpu_code_of(image: str) -> GpuCode | None:
    """Return the GPUs that an image holds code for; None if its name and tag do not tell."""
    name = image.partition("@")[0]
    path, slash, last = name.rpartition("/")
    last, _, tag = last.partition(":")
    capabilities = _table()
    for row in capabilities.images:
        if f"/{path}{slash}{last}".endswith(f"/{row.repository}") and _suits(row, tag):
            return _code(row) if row.runs else None
    build = build_of(image)
    row_of_cuda = None if build is None else capabilities.cuda.get(build.cuda)
    return None if row_of_cuda is None else _code(row_of_cuda)


def _code(row: _CapabilityRow) -> GpuCode:
    family = _table().families[row.of]
    return GpuCode(row.runs, family.says, family.instead)


def _suits(row: _BuiltImage, tag: str) -> bool:
    if not re.search(row.tag, tag):
        return False
    release = read_version(tag.removeprefix("v"))
    return not row.until or (bool(release) and release[:3] <= read_version(row.until))


def _is_within(capability: Capability, reach: str) -> bool:
    first, _, last = reach.partition(" ")
    return read_version(first) <= capability <= read_version(last or first)


@cache
def _table() -> _CapabilityTable:
    return msgspec.convert(table(DATA, "capabilities"), _CapabilityTable)
