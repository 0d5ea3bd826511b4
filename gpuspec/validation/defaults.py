"""The defaults that the API server fills into the list items of a custom object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.validation.nodes import root

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.validation.nodes import SchemaNode

_OWN = "spec"


def filled_in_lists(api_version: str, kind: str, value: Any) -> Iterator[tuple[Path, Any]]:
    """Yield the fields of list items that an object lacks and its schema has a default for, with
    the default; nothing for a kind without a schema.
    """
    from gpuspec.validation import custom

    custom_kind = custom.find((api_version, kind))
    if custom_kind is None or not isinstance(value, dict):
        return
    node = root(custom.bundle_of(custom_kind.project), (api_version, kind)).field(_OWN)
    if node is not None:
        yield from _filled(node, value.get(_OWN), (_OWN,), in_list=False)


def _filled(
    node: SchemaNode, value: Any, path: Path, *, in_list: bool
) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, list) and node.items is not None:
        for index, item in enumerate(value):
            yield from _filled(node.items, item, (*path, index), in_list=True)
    elif isinstance(value, dict):
        for name in node.schemas if in_list else ():
            field = node.field(name)
            if field is not None and field.default is not None and value.get(name) is None:
                yield (*path, name), field.default
        for name, item in value.items():
            inner = node.field(name) if isinstance(name, str) else None
            if inner is not None:
                yield from _filled(inner, item, (*path, name), in_list=in_list)
