"""Triton's configuration of a model (`config.pbtxt`): its fields, and what Triton rejects.

The fields and their words: gpuspec/products/data/triton-model.yaml. Source of the relations:
triton-inference-server/core 73aad7c src/model_config_utils.cc (ValidateModelConfig,
ValidateInstanceGroup).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.enumeration import choice_of
from gpuspec.escaping.meant import meant
from gpuspec.manifests.text_format import Number, QuotedText, TextFormatError, read_text_format
from gpuspec.numbers import read_signed
from gpuspec.products.triton_model import triton_model

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.settings.severity import Severity

NAME = "config.pbtxt"
_FILLED = ("${", "{{")


class ModelFault(msgspec.Struct, frozen=True):
    """What is wrong in such a file."""

    message: str
    """The fault, as the beginning of a sentence."""
    note: str
    severity: Severity | None = None


class InstanceGroup(msgspec.Struct, frozen=True):
    """Instances of a model, and their devices."""

    kind: str
    gpus: tuple[int, ...]


def is_model(key: str, text: object) -> bool:
    """Return whether a text under a key is such a file, and no template fills it."""
    is_text = isinstance(text, str) and not any(mark in text for mark in _FILLED)
    return is_text and (key == NAME or key.endswith(f".{NAME}") or key.endswith(f"-{NAME}"))


@cache
def model_faults(text: str) -> tuple[ModelFault, ...]:
    """Return what Triton rejects in a file, and fields that it does not know."""
    try:
        fields = read_text_format(text)
    except TextFormatError as error:
        note = "correct the file: lists stand in `[ ]`, messages in `{ }`, texts in quotes"
        return (ModelFault(f"line {error.line} is not in protobuf's text format: {error}", note),)
    return (*_unknown(fields, ""), *_rejected(fields))


@cache
def instance_groups(text: str) -> tuple[InstanceGroup, ...]:
    """Return the groups of a file; none if it cannot be read."""
    try:
        fields = read_text_format(text)
    except TextFormatError:
        return ()
    return tuple(
        InstanceGroup(_first(group, "kind"), tuple(_numbers(group, "gpus")))
        for group in _messages(fields, "instance_group")
    )


@cache
def model_name(text: str) -> str:
    """Return the name of the model in a file; empty if it has none, or cannot be read."""
    try:
        return _first(read_text_format(text), "name")
    except TextFormatError:
        return ""


def _unknown(fields: dict[str, list[Any]], holder: str) -> Iterator[ModelFault]:
    field_names = triton_model().messages.get(holder)
    names = {name.rstrip("*"): name.endswith("*") for name in field_names or ()}
    for field, values in fields.items():
        if field_names is not None and field not in names:
            near = meant(field, names, 0.75)
            yield ModelFault(
                f"`{field}` is not a field of {f'`{holder}`' if holder else 'a model'}",
                f"write `{near[0]}`" if len(near) == 1 else "remove the field",
                None if len(near) == 1 else "warning",
            )
        elif field_names is not None and len(values) > 1 and not names[field]:
            yield ModelFault(f"`{field}` is set {len(values)} times", "keep one of them")
        yield from _words(field, holder, values)
        for value in values:
            if isinstance(value, dict):
                yield from _unknown(value, field)


def _words(field: str, holder: str, values: list[Any]) -> Iterator[ModelFault]:
    table = triton_model().words
    words = table.get(f"{holder}.{field}") or table.get(field, ())
    for value in values:
        if not words or not isinstance(value, str) or isinstance(value, Number):
            continue
        near = meant(value, words)
        write = f"`{near[0]}`" if len(near) == 1 else choice_of(words)
        if isinstance(value, QuotedText):
            yield ModelFault(f"`{field}` is a word without quotes, not a text", f"write {write}")
        elif value not in words:
            yield ModelFault(f"`{field}` does not accept `{value}`", f"write {write}")


def _rejected(fields: dict[str, list[Any]]) -> Iterator[ModelFault]:
    platforms = triton_model().platforms
    platform, backend = _first(fields, "platform"), _first(fields, "backend")
    if platform in platforms and backend not in ("", platforms[platform]):
        yield ModelFault(
            f"`platform: {platform}` belongs to backend `{platforms[platform]}`, not `{backend}`",
            "remove `platform`",
        )
    if platform == "ensemble" and not fields.get("ensemble_scheduling"):
        yield ModelFault(
            "`platform` is `ensemble`, but `ensemble_scheduling` is missing",
            "add the steps in `ensemble_scheduling`, or write the `backend` of the model",
        )
    most = _number(fields, "max_batch_size")
    for batching in _messages(fields, "dynamic_batching"):
        for size in _numbers(batching, "preferred_batch_size"):
            if most is not None and 0 < most < size:
                yield ModelFault(
                    f"`preferred_batch_size` {size} is above `max_batch_size` {most}",
                    f"write sizes up to {most}, or raise `max_batch_size`",
                )
                break
    for group in _messages(fields, "instance_group"):
        kind = _first(group, "kind")
        if kind in ("KIND_CPU", "KIND_MODEL") and group.get("gpus"):
            yield ModelFault(
                f"an instance group of `{kind}` names `gpus`", "remove `gpus`, or write `KIND_GPU`"
            )
    if _true(fields, "response_cache", "enable"):
        if fields.get("sequence_batching"):
            yield ModelFault(
                "`response_cache` excludes `sequence_batching`", "remove one of the two"
            )
        if _true(fields, "model_transaction_policy", "decoupled"):
            yield ModelFault("`response_cache` excludes `decoupled`", "remove one of the two")


def _true(fields: dict[str, list[Any]], message: str, field: str) -> bool:
    return any(_first(value, field).lower() == "true" for value in _messages(fields, message))


def _messages(fields: dict[str, list[Any]], name: str) -> Iterator[dict[str, list[Any]]]:
    return (value for value in fields.get(name, ()) if isinstance(value, dict))


def _first(fields: dict[str, list[Any]], name: str) -> str:
    return next((str(value) for value in fields.get(name, ()) if isinstance(value, str)), "")


def _number(fields: dict[str, list[Any]], name: str) -> int | None:
    return next(iter(_numbers(fields, name)), None)


def _numbers(fields: dict[str, list[Any]], name: str) -> Iterator[int]:
    for value in fields.get(name, ()):
        number = read_signed(value) if isinstance(value, Number) else None
        if number is not None:
            yield number
