"""Argo's workflows: where their templates are, and the objects that steps create."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from gpuspec import hardware, kinds
from gpuspec.manifests import InputError, read
from gpuspec.manifests.values import at, items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Object

_CREATING = ("create", "apply")
_RESOURCE = re.compile(r"[\w.-]+/[\w.-]+")
_BLANK = re.compile(r"\{\{[^{}]*\}\}")
"""What Argo fills in."""


def spec_path(obj: Object) -> Path:
    """Return the path of a workflow's spec."""
    return ("spec",) if mapping(obj.spec.get("workflowSpec")) == {} else ("spec", "workflowSpec")


def templates_of(obj: Object) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the templates of a workflow, each with its path."""
    base: Path = (*spec_path(obj), "templates")
    for index, template in enumerate(items(at(obj.value, base))):
        yield (*base, index), mapping(template)


def created_by(resource: dict[str, Any]) -> dict[str, Any] | None:
    """Return the object that a template creates, if it is finite work with accelerators."""
    manifest = text(resource.get("manifest"))
    if resource.get("action") not in _CREATING or not manifest:
        return None
    if not any(hardware.is_gpu_resource(name) for name in _RESOURCE.findall(manifest)):
        return None
    try:
        documents = read(_BLANK.sub("x", manifest), "manifest")
    except (InputError, ValueError):
        return None
    created = mapping(documents[0].value) if len(documents) == 1 else {}
    group, _, _ = text(created.get("apiVersion")).rpartition("/")
    kind = kinds.kind_of(group, text(created.get("kind")))
    return created if kind is not None and kind.life == "finite" else None
