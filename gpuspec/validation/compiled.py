"""The verdict on many objects: schemas compiled by jsonschema-rs."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from gpuspec.validation.bundle import Kind, load

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator


def is_valid(kubernetes: str, kind: Kind, value: object) -> bool:
    """Whether a plain value is what the kind's schema allows.

    Raises:
        KeyError: the kind has no schema.
    """
    return _validator(kubernetes, kind).is_valid(value)


@cache
def _validator(kubernetes: str, kind: Kind) -> Draft202012Validator:
    from jsonschema_rs import Draft202012Validator

    return Draft202012Validator(load(kubernetes).closed(kind))
