"""Clients of model servers: which part of an address they put before their own paths."""

from __future__ import annotations

from functools import cache

from msgspec import Struct, convert

from gpuspec.manifests.tables import table
from gpuspec.products.load import DATA


class _Variable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    source: str
    names: tuple[str, ...]
    base: str
    image: str = ""


class _Models(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    source: str
    names: tuple[str, ...]


class _Prefixes(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    source: str
    bases: dict[str, str]


class _Servers(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    source: str
    servers: tuple[str, ...]


class _Clients(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    sources: dict[str, str]
    variables: tuple[_Variable, ...]
    models: _Models
    litellm: _Prefixes
    under_v1: _Servers


def variable_base(name: str, image: str) -> str | None:
    """Return what the address in a variable ends in, by the image that reads it; None if it is not
    known."""
    repository = image.partition("@")[0].rpartition("/")[2].partition(":")[0]
    for variable in _table().variables:
        if name in variable.names and (not variable.image or repository.endswith(variable.image)):
            return variable.base
    return None


def model_variables() -> tuple[str, ...]:
    """Return the variables with the name of the model that a client asks for."""
    return _table().models.names


def litellm_base(model: str) -> str | None:
    """Return what LiteLLM expects a model's address to end in; None if it is not known."""
    provider, slash, _ = model.partition("/")
    return _table().litellm.bases.get(provider) if slash else None


def is_under_v1(server: str) -> bool:
    """Return whether a model server has OpenAI's paths under /v1 alone."""
    return server in _table().under_v1.servers


@cache
def _table() -> _Clients:
    return convert(table(DATA, "clients"), _Clients)
