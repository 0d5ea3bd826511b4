"""The right place of a misplaced field."""

from functools import cache

from gpuspec.manifests import Path
from gpuspec.validation.nodes import SchemaNode

_DEEPEST = 4
"""How far down to look: a CronJob's `spec` is four fields above its containers."""


def right_place(top: SchemaNode, path: Path) -> Path | None:
    """Return the map, above or below the field, that has a field of this name.

    The usual mistake is one of indentation, so the maps above are tried first, from the nearest up.
    Those below count only if exactly one has the field.
    """
    *place, name = path
    above = [top]
    for step in place:
        inner = above[-1].items if isinstance(step, int) else above[-1].field(step)
        if inner is None:
            return None
        above.append(inner)
    for depth in range(len(above) - 2, 0, -1):
        if name in above[depth].schemas:
            return tuple(place[:depth])
    below = _below(above[-1], str(name))
    return (*place, *below) if below else None


@cache
def _below(node: SchemaNode, name: str) -> Path | None:
    """Return the steps down to the map that has the field."""
    level: list[tuple[SchemaNode, Path]] = [(node, ())]
    homes: list[list[Path]] = []
    for _ in range(_DEEPEST):
        level = [inner for outer in level for inner in _maps(*outer)]
        homes.append([path for inner, path in level if name in inner.schemas])
    # Init containers and pods as a whole have many of a container's fields: it is the one meant.
    contained = [path for paths in homes for path in paths if "containers" in path]
    for paths in (contained, *homes):
        if paths:
            return paths[0] if len(paths) == 1 else None
    return None


def _maps(node: SchemaNode, place: Path) -> list[tuple[SchemaNode, Path]]:
    """Return the maps in the fields of a map; for a list, its first item."""
    map_nodes: list[tuple[SchemaNode, Path]] = []
    for name in node.schemas:
        inner, path = node.field(name), (*place, name)
        if inner is not None and inner.items is not None:
            inner, path = inner.items, (*path, 0)
        if inner is not None and inner.schemas:
            map_nodes.append((inner, path))
    return map_nodes
