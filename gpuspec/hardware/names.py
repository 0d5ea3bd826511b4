"""Lookup of models by typed names and by node labels."""

from __future__ import annotations

import re
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from gpuspec.hardware.catalog import models
from gpuspec.hardware.model import GpuModel, Labeller, Product
from gpuspec.hardware.resources import vendor, vendors
from gpuspec.hardware.tables import table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_MIG_SUFFIX = re.compile(
    r"-mig-(invalid|(?:[0-9]+c\.)?[0-9]+g\.[0-9]+gb(?:[.+-][a-z.]+?)?)$", re.IGNORECASE
)
_SHARED_SUFFIX = "-shared"
_SEPARATORS = re.compile(r"[\s_/-]+")
# "80 GB", "80g" and "80GiB" are the word "80gb"; the digits must begin a word ("t4g" is a name).
_MEMORY = re.compile(r"(?:(?<=^)|(?<=-))([0-9]+)-?g(?:i?b)?(?=-|$)")
# Values of this labeller, typed in full, mean what it means, as those of the makers' own do.
_AUTHORITY = "gke"
_SUGGESTIONS = 4


@cache
def labellers() -> Mapping[str, Labeller]:
    """Return the labellers of GPU nodes by name (`gfd`, `gke`, `karpenter-aws`, …), the most usual
    first."""
    whole = table("labels")
    return MappingProxyType(
        {
            name: Labeller(
                name=name,
                title=entry["title"],
                vendor=entry["vendor"],
                keys=MappingProxyType(entry["keys"]),
                values=entry.get("values", name),
                source=whole["sources"][entry["source"]],
                others=tuple(entry.get("others", "").split()),
            )
            for name, entry in whole["labellers"].items()
        }
    )


def split_product(value: str) -> Product:
    """Split the suffixes off a value of `nvidia.com/gpu.product`.

    GPU Feature Discovery appends `-MIG-<profile>` under the `single` strategy and `-SHARED` when a
    device is shared under its own name; both can stack. The profile is as written (`1g.10gb`, or
    `INVALID` for a broken layout).
    """
    name, shared = value, False
    if name.casefold().endswith(_SHARED_SUFFIX):
        name, shared = name[: -len(_SHARED_SUFFIX)], True
    match = _MIG_SUFFIX.search(name)
    if match is None:
        return Product(name, None, shared)
    return Product(name[: match.start()], match[1], shared)


def find(text: str) -> tuple[GpuModel, ...]:
    """Return all models that a typed name can mean: one, several if ambiguous, none if unknown.

    Takes canonical names, product labels, cloud accelerator names and parts of them, in any case
    and with any separators: `h100-80gb`, `H100 80GB`, `Tesla-T4`, `nvidia-tesla-a100`, `a100`.
    """
    typed = _normal(split_product(_SEPARATORS.sub("-", text.strip())).name)
    exact = _exact().get(typed)
    if exact is not None:
        return exact
    words = frozenset(typed.split("-"))
    return tuple(
        candidate
        for candidate, vocabulary in _vocabularies()
        if candidate.base <= words <= vocabulary
    )


def same_name(first: str, second: str) -> bool:
    """Return whether two names are equal, ignoring case and separators."""
    return _normal(first) == _normal(second)


def suggest(text: str, besides: Iterable[str] = ()) -> tuple[str, ...]:
    """Return canonical names similar to a name that `find` does not know, the closest first.

    `besides`: custom names that may be meant too.
    """
    from difflib import get_close_matches

    typed = _normal(split_product(_SEPARATORS.sub("-", text.strip())).name)
    spelled = {**_spellings(), **{_normal(name): (name,) for name in besides}}
    close = get_close_matches(typed, spelled, n=2 * _SUGGESTIONS, cutoff=0.6)
    names = dict.fromkeys(name for spelling in close for name in spelled[spelling])
    return tuple(names)[:_SUGGESTIONS]


def from_label(labeller: str, value: str) -> tuple[GpuModel, ...]:
    """Return the models that a node label's value names; empty if the value or key is unknown.

    `labeller` is a labeller's name or the label key itself. The suffixes of GPU Feature Discovery
    are removed first. One value may name several models (`a100` on AWS).
    """
    values = _values_of(labeller)
    return _by_label().get((values, split_product(value).name), ()) if values else ()


def _values_of(labeller: str) -> str | None:
    """Return the labeller, by its name or label key, under which models list their values."""
    for known_labeller in labellers().values():
        if labeller in (known_labeller.name, known_labeller.product):
            return known_labeller.values
    return None


@cache
def _by_label() -> dict[tuple[str, str], tuple[GpuModel, ...]]:
    index: dict[tuple[str, str], tuple[GpuModel, ...]] = {}
    for candidate in models():
        for labeller, values in candidate.labels.items():
            for value in values:
                key = (labeller, value)
                index[key] = (*index.get(key, ()), candidate)
    return index


@cache
def _exact() -> dict[str, tuple[GpuModel, ...]]:
    index: dict[str, tuple[GpuModel, ...]] = {}
    for candidate in models():
        for spelling in (candidate.name, *candidate.aliases):
            index[_normal(spelling)] = (candidate,)
    for authority in (*filter(None, (maker.labeller for maker in vendors())), _AUTHORITY):
        for (labeller, value), gpu_models in _by_label().items():
            if labeller == authority:
                index.setdefault(_normal(value), gpu_models)
    return index


@cache
def _vocabularies() -> tuple[tuple[GpuModel, frozenset[str]], ...]:
    """Return each model with every word that a name for it may contain."""
    return tuple((candidate, frozenset(_words(candidate))) for candidate in models())


def _words(candidate: GpuModel) -> set[str]:
    spellings = [candidate.name, f"{candidate.marketed_gb}gb", *candidate.aliases]
    spellings += [value for values in candidate.labels.values() for value in values]
    words = {word for spelling in spellings for word in _normal(spelling).split("-")}
    for form in candidate.forms:
        words |= {form.name.casefold(), form.name.casefold().rstrip("0123456789")}
    maker = vendor(candidate.vendor)
    return words.union(candidate.base, maker.words if maker else ())


@cache
def _spellings() -> dict[str, tuple[str, ...]]:
    """Return normalised spellings, each with the canonical names that it stands for."""
    spelled: dict[str, tuple[str, ...]] = {}
    for spelling, gpu_models in _exact().items():
        spelled[spelling] = tuple(candidate.name for candidate in gpu_models)
    for candidate in models():
        base = "-".join(
            word for word in _normal(candidate.name).split("-") if word in candidate.base
        )
        if base != _normal(candidate.name):
            spelled[base] = (*spelled.get(base, ()), candidate.name)
    return spelled


def _normal(text: str) -> str:
    """Return a name in lower case, with single dashes and memory sizes as one word."""
    return _MEMORY.sub(r"\1gb", _SEPARATORS.sub("-", text.strip().casefold()).strip("-"))
