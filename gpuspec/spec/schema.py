"""The published JSON Schema, generated from the typed models."""

from collections.abc import Iterator
from typing import Any, cast, get_args

import msgspec

from gpuspec.spec.profile import ClusterProfile
from gpuspec.spec.types import Model, docs_of, schema_of
from gpuspec.spec.workload import WORKLOAD_KINDS

# A name, and no address: nothing is published there.
SCHEMA_NAME = "urn:gpuspec:v1alpha1:"
KINDS: dict[str, type[Any]] = {"ClusterProfile": ClusterProfile, **WORKLOAD_KINDS}


def file_name(kind: str) -> str:
    """Return the file of a kind's schema: `BatchInference` → `batch-inference.json`."""
    parts: list[str] = []
    for letter in kind:
        if letter.isupper() and parts:
            parts.append("-")
        parts.append(letter.lower())
    return "".join(parts) + ".json"


def json_schema(kind: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of one kind.

    Raises `KeyError` for an unknown kind.
    """
    schema = msgspec.json.schema(KINDS[kind], schema_hook=schema_of)
    for model in _models(KINDS[kind]):
        _describe(model, schema["$defs"][model.__name__]["properties"])
    tidied = cast("dict[str, Any]", _tidy(schema))
    root = tidied["$defs"].pop(kind)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_NAME + file_name(kind).removesuffix(".json"),
        **root,
        "$defs": dict(sorted(tidied["$defs"].items())),
    }


def _models(root: type[Any]) -> Iterator[type[Model]]:
    """Yield a model and all models in its fields, each once."""
    models: dict[type[Any], None] = {}
    waiting: list[Any] = [root]
    while waiting:
        kind = waiting.pop()
        waiting += get_args(kind)
        if isinstance(kind, type) and issubclass(kind, Model) and kind not in models:
            models[kind] = None
            waiting += [field.type for field in msgspec.structs.fields(kind)]
    yield from models


def _describe(model: type[Model], properties: dict[str, Any]) -> None:
    """Add the descriptions of fields to their properties."""
    docs = docs_of(model)
    for field in msgspec.structs.fields(model):
        if doc := docs.get(field.name):
            described: dict[str, Any] = {"description": doc.description}
            if doc.examples:
                described["examples"] = list(doc.examples)
            described |= properties[field.encode_name]
            if doc.default is not None:
                described["default"] = doc.default
            properties[field.encode_name] = described


def _tidy(node: object) -> object:
    """Drop redundant keywords, and `null`: an unset field is left out, not null."""
    if isinstance(node, list | tuple):
        return [_tidy(item) for item in node]
    if not isinstance(node, dict):
        return node
    out = {key: _tidy(value) for key, value in node.items()}
    # Releases of msgspec differ in how they break the lines of a docstring.
    if isinstance(description := out.get("description"), str):
        out["description"] = " ".join(description.split())
    if out.get("default", 0) in (None, {}, []):
        del out["default"]
    if out.get("required") == []:
        del out["required"]
    if "anyOf" in out:
        alternatives = cast("list[dict[str, Any]]", out.pop("anyOf"))
        branches = [branch for branch in alternatives if branch != {"type": "null"}]
        if len(branches) == 1:
            out.update(branches[0])
        else:
            out["anyOf"] = branches
    return out
