"""The fields of Triton's `config.pbtxt`, and the words that they accept."""

from functools import cache

import msgspec
from msgspec import Struct

from gpuspec.manifests.tables import table
from gpuspec.products.load import DATA


class TritonModel(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table."""

    source: str
    words: dict[str, tuple[str, ...]]
    """The words of fields, by the field or by its message and the field."""
    messages: dict[str, tuple[str, ...]]
    """The fields of messages, by the field with the message; `*` marks fields with several values.
    In messages that are not listed, no field is checked."""
    platforms: dict[str, str]
    """The backend of each platform."""


@cache
def triton_model() -> TritonModel:
    """Return the table."""
    return msgspec.convert(table(DATA, "triton-model"), TritonModel)
