"""A label of GPU nodes that no labeller sets: a misspelled key, or a value it does not write."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from gpuspec.escaping.spellings import nearest
from gpuspec.lint.analysis.placement.labels import rename_key
from gpuspec.lint.analysis.placement.placing import in_all, names, requirement_path
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.numbers import is_digits
from gpuspec.objects.objects import Pod

if TYPE_CHECKING:
    from gpuspec.fleet.match import Requirement

RULE = Rule(
    "GPU213",
    "unknown-label",
    "warning",
    "A node selector uses a GPU label or value that no labeller sets",
    gives_way=("GPU203",),
    fix="unsafe",
)

# Labellers whose values are known well enough to say what they do not write.
_SURE = ("gfd", "gke", "gke-tpu", "karpenter-aws", "eks-auto", "amd")
_LIKENESS = 0.9
# Domains of clouds hold labels of all kinds: only names that speak of devices are looked at.
_PLAIN = re.compile(r"[A-Za-z0-9_.-]+")
_WORDS = (
    "gpu",
    "cuda",
    "mig",
    "accelerator",
    "tpu",
    "spot",
    "flex",
    "queued",
    "capacity",
    "priority",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield unknown keys and values that are in every alternative; those of the profile's pools are
    right."""
    profile_labels = {item for pool in context.placed for item in pool.pool.labels.items()}
    for requirement in in_all(pod):
        if requirement.operator not in ("In", "Exists") or any(
            key == requirement.key for key, _ in profile_labels
        ):
            continue
        right_key = _key(requirement.key)
        if right_key is not None:
            yield RawFinding(
                requirement_path(pod, requirement),
                (
                    f"no labeller sets `{requirement.key}`, so no node matches; did you mean "
                    f"`{right_key}`?"
                ),
                key=True,
                fix=rename_key(pod, requirement, right_key),
                confidence="likely",
            )
            continue
        finding = _of_cloud(pod, requirement)
        if finding is not None:
            yield finding
            continue
        wrong = [_values(requirement.key, value) for value in requirement.values]
        if requirement.operator == "In" and wrong and all(wrong):
            yield _unknown(
                pod,
                requirement,
                list(dict.fromkeys(v for right_values in wrong for v in right_values or ())),
            )


def _of_cloud(pod: Pod, requirement: Requirement) -> RawFinding | None:
    """Return a label of which the cloud writes few values, and none of those that are asked for."""
    from gpuspec import hardware

    label = hardware.cloud_labels().get(requirement.key)
    if label is None or not label.values or requirement.operator != "In" or not requirement.values:
        return None
    # What a template or a person is to fill in may be any of them.
    if any(value in label.values or not _PLAIN.fullmatch(value) for value in requirement.values):
        return None
    values = [
        value for value in label.values if value.casefold() == requirement.values[0].casefold()
    ]
    fix = None
    path = requirement_path(pod, requirement)
    if values and len(requirement.values) == 1:
        at = path if requirement.path[0] == "nodeSelector" else (*path, "values", 0)
        fix = Fix(f"write `{values[0]}`", (Put(at, values[0]),))
    return RawFinding(
        path,
        f"no node has `{requirement.key}: {requirement.values[0]}`, so the pod stays Pending: {label.title} sets "
        f"{names(list(label.values), 6)}",
        fix=fix,
        confidence="likely",
    )


def _unknown(pod: Pod, requirement: Requirement, right_values: list[str]) -> RawFinding:
    from gpuspec import hardware

    labellers = hardware.labellers().values()
    title = next(labeller.title for labeller in labellers if labeller.product == requirement.key)
    fix = None
    if len(right_values) == 1 and len(requirement.values) == 1:
        path = requirement_path(pod, requirement)
        path = path if requirement.path[0] == "nodeSelector" else (*path, "values", 0)
        fix = Fix(f"write `{right_values[0]}`", (Put(path, right_values[0]),))
    return RawFinding(
        requirement_path(pod, requirement),
        f"no node has `{requirement.key}: {requirement.values[0]}`, so the pod stays Pending: {title} sets "
        f"{names(right_values, 6)}",
        fix=fix,
        confidence="likely",
    )


@cache
def _key(key: str) -> str | None:
    """Return the intended label key for an unknown one, if it is similar enough to be certain."""
    from gpuspec import hardware

    domain, _, name = key.rpartition("/")
    clouds = hardware.cloud_labels()
    if hardware.is_label_key(key) or key in clouds:
        return None
    is_whole = any(cloud.whole and cloud.key.startswith(f"{domain}/") for cloud in clouds.values())
    if not is_whole and not any(word in name for word in _WORDS):
        return None
    near = [
        label_key
        for label_key in (*hardware.label_keys(), *clouds)
        if label_key.rpartition("/")[0] == domain
    ]
    return _close(key, near)


@cache
def _values(key: str, value: str) -> tuple[str, ...] | None:
    """Return the value that a labeller writes instead; None if the value is right or unknown."""
    from gpuspec import hardware

    labellers = hardware.labellers().values()
    labeller = next(
        (
            known_labeller
            for known_labeller in labellers
            if known_labeller.product == key and known_labeller.name in _SURE
        ),
        None,
    )
    if labeller is None or value in labeller.others or hardware.from_label(key, value):
        return None
    models = hardware.models()
    every = {
        label_value.casefold(): label_value
        for model in models
        for label_value in labeller.values_of(model)
    }
    plain = hardware.split_product(value).name if labeller.name == "gfd" else value
    if close := _close(plain.casefold(), every):
        return (every[close] + value[len(plain) :],)
    if value.startswith(("NVIDIA-", "Tesla-", "nvidia-")):
        return None  # looks like the real thing, and may be new
    values = [
        label_value for model in hardware.find(value) for label_value in labeller.values_of(model)
    ]
    # Old drivers leave the maker's name out: what new ones write comes first.
    values.sort(key=lambda label_value: not label_value.startswith("NVIDIA-"))
    return tuple(dict.fromkeys(values)) or None


def _close(word: str, known_words: Iterable[str]) -> str | None:
    """Return a word so close that a slip of the pen parts them, and no other model's number."""
    close = nearest(word, known_words, _LIKENESS)
    return close if close and _numbers(close) == _numbers(word) else None


def _numbers(text: str) -> list[list[str]]:
    """Return the letters and digits of each part up to its last digit, in any order: `a100`,
    `80`."""
    parts = text.casefold().replace("/", "-").replace(".", "-").split("-")
    return [
        sorted(part[: max(i for i, c in enumerate(part) if is_digits(c)) + 1])
        for part in parts
        if any(map(is_digits, part))
    ]
