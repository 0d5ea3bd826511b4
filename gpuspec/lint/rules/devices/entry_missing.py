"""A platform's settings that name an entry which its ConfigMap does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.lint.analysis.reading.releases import releases_of
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests import InputError, read
from gpuspec.manifests.values import at, mapping, text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gpuspec.lint.context import Context
    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU933",
    "entry-missing",
    "warning",
    "A platform's settings name an entry that its ConfigMap does not have",
    gives_way=("GPU022",),
)


class _Entries(msgspec.Struct, frozen=True):
    """A ConfigMap that a product's settings name, and the entry that is looked up in it."""

    products: tuple[str, ...]
    name: Path
    """The setting with the ConfigMap's name."""
    then: str
    key: str = ""
    """The key that the product reads; empty if the setting `entry` names it."""
    entry: Path = ()
    """The setting with the name of a key, or of a part of the key's text."""
    part: str = ""
    """The mapping in the key's text in which the entry is looked up."""
    data: Path = ()
    """The setting of which the chart makes the data."""


# NVIDIA/gpu-operator v26.7.0 assets/state-device-plugin, state-mig-manager, state-dcgm-exporter: the keys that the
# pods mount; NVIDIA/k8s-device-plugin v0.20.0 deployments/helm: config.name, config.map, config.default.
_TABLE = (
    _Entries(
        products=("gpu-operator",),
        name=("devicePlugin", "config", "name"),
        entry=("devicePlugin", "config", "default"),
        data=("devicePlugin", "config", "data"),
        then="the device plugin does not start, and its nodes advertise no GPU",
    ),
    _Entries(
        products=("nvidia-device-plugin",),
        name=("config", "name"),
        entry=("config", "default"),
        data=("config", "map"),
        then="the device plugin does not start, and its nodes advertise no GPU",
    ),
    _Entries(
        products=("gpu-operator", "nvidia.com/ClusterPolicy"),
        name=("migManager", "config", "name"),
        key="config.yaml",
        entry=("migManager", "config", "default"),
        part="mig-configs",
        data=("migManager", "config", "data"),
        then="the MIG manager applies no layout, and `nvidia.com/mig.config.state` becomes `failed`",
    ),
    _Entries(
        products=("gpu-operator", "nvidia.com/ClusterPolicy"),
        name=("dcgmExporter", "config", "name"),
        key="dcgm-metrics.csv",
        data=("dcgmExporter", "config", "data"),
        then="the exporter's pods do not start",
    ),
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield releases of charts, and objects of kinds, whose ConfigMap is in the set or in the
    values."""
    for release in releases_of(obj, context):
        for row in _TABLE:
            if release.chart in row.products:
                yield from _of(row, release.values, release.namespace, context, release.place)
    if f"{obj.group}/{obj.kind}" in _TABLE[-1].products:
        for row in _TABLE:
            if f"{obj.group}/{obj.kind}" in row.products:
                yield from _of(row, obj.spec, "", context, _in_spec(obj))


def _in_spec(obj: Object) -> Callable[..., tuple[Path, Path | None]]:
    return lambda *steps: (obj.path("spec", *steps), None)


def _of(
    row: _Entries,
    settings: dict[str, object],
    namespace: str,
    context: Context,
    place: Callable[..., tuple[Path, Path | None]],
) -> Iterator[RawFinding]:
    name = text(at(settings, row.name))
    data = mapping(at(settings, row.data)) if row.data else {}
    related: tuple[RelatedPlace, ...] = ()
    if not data:
        maps = context.collection.all_named("", "ConfigMap", name) if name else []
        same = [
            config_map
            for config_map in maps
            if not (namespace and config_map.namespace) or config_map.namespace == namespace
        ]
        if maps and not same:
            path, inside = place(*row.name)
            yield RawFinding(
                path,
                f"ConfigMap `{name}` is in namespace `{maps[0].namespace}`, but the operator "
                f"looks for it in namespace `{namespace}`: {row.then}",
                note=f"create the ConfigMap in namespace `{namespace}`",
                confidence="likely",
                inside=inside,
                related=(
                    RelatedPlace(
                        maps[0].number, maps[0].path("metadata", "name"), "this ConfigMap"
                    ),
                ),
            )
        if len(same) != 1:
            return
        data = mapping(same[0].value.get("data"))
        related = (RelatedPlace(same[0].number, same[0].path("data"), "its entries"),)
        whose = f"ConfigMap `{name}`"
    else:
        whose = f"`{'.'.join(map(str, row.data))}`"
    yield from _looked_up(row, settings, data, whose, place, related)


def _looked_up(
    row: _Entries,
    settings: dict[str, object],
    data: dict[str, object],
    whose: str,
    place: Callable[..., tuple[Path, Path | None]],
    related: tuple[RelatedPlace, ...],
) -> Iterator[RawFinding]:
    entry = text(at(settings, row.entry)) if row.entry else ""
    keys = {str(key) for key in data}
    if any("$" in key or "{{" in key for key in (*keys, entry)):
        return
    # GPU113 reports data that are no texts.
    if not all(isinstance(content, str) for content in data.values()):
        return
    steps, sought, present = row.name, row.key, keys
    if row.key in keys and row.part and entry:
        steps, sought, present = row.entry, entry, _parts(data[row.key], row.part)
    elif not row.key:
        steps, sought = row.entry, entry
    if not sought or not present or sought in present:
        return
    path, inside = place(*steps)
    # A default that is a whole file instead of a name.
    shown = sought.partition("\n")[0]
    yield RawFinding(
        path,
        f"{whose} has no entry `{shown}`, only {_names(present)}: {row.then}",
        note=f"rename the key to `{row.key}`" if sought == row.key else f"write {_names(present)}",
        confidence="likely",
        inside=inside,
        related=related,
    )


def _parts(content: object, part: str) -> set[str]:
    """Return the names in a mapping of a text that is YAML; none if it is not."""
    try:
        documents = read(text(content), "config.yaml")
    except (InputError, ValueError):
        return set()
    return {str(key) for key in mapping(at(documents[0].value, (part,)))} if documents else set()


def _names(names: set[str]) -> str:
    ordered = sorted(names)
    more = f" and {len(ordered) - 4} more" if len(ordered) > 4 else ""
    return ", ".join(f"`{name}`" for name in ordered[:4]) + more
