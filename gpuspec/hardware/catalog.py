"""The models, built from the vendors' tables."""

from __future__ import annotations

import re
from functools import cache
from types import MappingProxyType
from typing import Any

from gpuspec.hardware.model import BoardForm, GpuModel, NvLink
from gpuspec.hardware.resources import vendors
from gpuspec.hardware.tables import table
from gpuspec.numbers import of_digits, read_decimal

# Keys of an entry that are not a labeller's name.
_FACTS = {
    "chip",
    "memory",
    "cores",
    "counts",
    "forms",
    "base",
    "aliases",
    "weak",
    "sources",
    "dies",
}
_CHIP = re.compile(
    r"(?P<family>\S+)(?: (?P<major>[0-9]+)\.(?P<minor>[0-9]))?(?: (?P<architecture>arm64))?"
)
_MEMORY = re.compile(r"(?P<gb>[0-9]+) GB, (?P<mib>[0-9]+) MiB")
_MEMORY_WORD = re.compile(r"[0-9]+gb")


@cache
def models() -> tuple[GpuModel, ...]:
    """Return all models, by vendor and generation."""
    return tuple(
        _build(vendor.name, vendor.labeller, name, entry)
        for vendor in vendors()
        if vendor.labeller is not None
        for name, entry in table(vendor.name)["models"].items()
    )


@cache
def _by_name() -> dict[str, GpuModel]:
    return {model.name: model for model in models()}


def model(name: str) -> GpuModel:
    """Return the model with a canonical name (`H100-80GB`). Raises KeyError; use `find` for user
    input."""
    return _by_name()[name]


def _build(vendor: str, labeller: str, name: str, entry: dict[str, Any]) -> GpuModel:
    chip, size = _CHIP.fullmatch(entry["chip"]), _MEMORY.fullmatch(entry["memory"])
    if chip is None or size is None:
        raise ValueError(f"{vendor}.yaml: {name}: chip or memory is not in the table's notation")
    weak = set(entry.get("weak", "").split())

    forms = tuple(_form(words.split(), labeller, weak) for words in entry["forms"])
    labels = {labeller: tuple(product for form in forms for product in form.products)}
    for other_labeller in entry.keys() - _FACTS:
        labels[other_labeller] = _values(entry[other_labeller].split(), other_labeller, weak)
    labels = {key: labels[key] for key in sorted(labels) if labels[key]}

    facts = {"family", "marketed", "memory", *(f"labels.{key}" for key in labels)}
    if chip["major"]:
        facts.add("capability")
    if chip["architecture"]:
        facts.add("architecture")
    if any(form.nvlink for form in forms):
        facts.add("nvlink")
    facts |= entry.keys() & {"cores", "counts"}
    origins = table(vendor)["defaults"] | entry.get("sources", {})
    sources = table(vendor)["sources"]

    return GpuModel(
        name=name,
        vendor=vendor,
        family=chip["family"],
        memory=of_digits(size["mib"]) << 20,
        marketed_gb=of_digits(size["gb"]),
        compute_capability=(of_digits(chip["major"]), of_digits(chip["minor"]))
        if chip["major"]
        else None,
        architecture="arm64" if chip["architecture"] else None,
        forms=forms,
        aliases=tuple(entry.get("aliases", "").split()),
        base=frozenset(entry["base"].split() if "base" in entry else _base(name)),
        weak=frozenset(weak),
        labels=MappingProxyType(labels),
        cores=entry.get("cores", 1),
        counts=tuple(map(of_digits, entry.get("counts", "").split())),
        sources=MappingProxyType({fact: sources[origins[fact]] for fact in sorted(facts)}),
        dies=entry.get("dies", 1),
    )


def _form(words: list[str], labeller: str, weak: set[str]) -> BoardForm:
    """Return a form from `<name> [nvlink=<GB/s>/<domain>[/bridge]] <product values …>`."""
    name, *rest = words
    nvlink = None
    if rest and rest[0].startswith("nvlink="):
        bandwidth, domain, *bridge = rest.pop(0).removeprefix("nvlink=").split("/")
        nvlink = NvLink(read_decimal(bandwidth) or 0.0, of_digits(domain), bridge == ["bridge"])
    return BoardForm(name, _values(rest, labeller, weak), nvlink)


def _values(marked_values: list[str], labeller: str, weak: set[str]) -> tuple[str, ...]:
    """Return label values without their `?`; those that had one are added to `weak`."""
    weak |= {f"labels.{labeller}.{value[:-1]}" for value in marked_values if value.endswith("?")}
    return tuple(value.removesuffix("?") for value in marked_values)


def _base(name: str) -> list[str]:
    words = name.casefold().split("-")
    return [word for word in words if not _MEMORY_WORD.fullmatch(word)]
