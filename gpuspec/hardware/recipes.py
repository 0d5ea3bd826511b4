"""Recipes of fabrics: the fields of pods that use a provider's fabric, from the provider's own
manifests."""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.hardware.providers import providers
from gpuspec.hardware.tables import table

if TYPE_CHECKING:
    from collections.abc import Mapping


class FabricVolume(msgspec.Struct, frozen=True):
    """A volume of the pod: a hostPath, or an emptyDir with a size."""

    name: str
    folder: str | None
    size: str | None


class FabricDaemon(msgspec.Struct, frozen=True):
    """A sidecar that runs as root.

    `mounts`: the mount path of each volume. `ready`: the command that succeeds when it is ready.
    """

    name: str
    image: str
    command: tuple[str, ...]
    args: tuple[str, ...]
    env: Mapping[str, str]
    capabilities: tuple[str, ...]
    mounts: Mapping[str, str]
    ready: tuple[str, ...]


class Recipe(msgspec.Struct, frozen=True):
    """The fields of a pod for a provider's fabric.

    `fields` are those of a pool's `rdma`, `machines` the same by instance type, `must` those that
    one of the two or the profile has to set. `provider` is None if any node may have the fabric.
    `mounts`: the mount path of each volume in the main container; `read_only`: the volumes mounted
    read-only.
    """

    name: str
    title: str
    fabric: str
    provider: str | None
    fields: Mapping[str, Any]
    machines: Mapping[str, Mapping[str, Any]]
    must: tuple[str, ...]
    on_nodes: str | None
    volumes: tuple[FabricVolume, ...]
    mounts: Mapping[str, str]
    read_only: frozenset[str]
    capabilities: tuple[str, ...]
    privileged: bool
    daemon: FabricDaemon | None
    host_network: bool
    unproved: str | None
    source: str

    @property
    def takes(self) -> tuple[str, ...]:
        """The waivers of Pod Security `restricted` that it needs, by their Python names."""
        is_taken_by_name = {
            "root": self.daemon is not None,
            "writable_root": self.daemon is not None,
            "host_path": any(volume.folder for volume in self.volumes),
            "capabilities": self.daemon is not None,
            "host_network": self.host_network,
            "privileged": self.privileged,
        }
        return tuple(name for name, is_taken in is_taken_by_name.items() if is_taken)

    @property
    def whole_node(self) -> str | None:
        """Why it is only for pods with all GPUs of a node; None if it is for others too."""
        if self.daemon is not None:
            return "have one daemon"
        if self.host_network:
            return "have one network"
        return "show every GPU to privileged containers" if self.privileged else None


@cache
def recipes() -> Mapping[str, Recipe]:
    """Return the recipes by name."""
    whole = table("recipes")
    return MappingProxyType(
        {
            name: _recipe(name, entry, whole["sources"][entry["source"]])
            for name, entry in whole["recipes"].items()
        }
    )


def recipes_of(provider: str) -> tuple[Recipe, ...]:
    """Return the recipes for a provider's nodes, without those for any node."""
    return tuple(
        recipe
        for recipe in recipes().values()
        if recipe.provider == provider or (recipe.provider is None and _has(provider, recipe))
    )


def _has(provider: str, recipe: Recipe) -> bool:
    rows = providers()[provider].rdma
    return any(row.resource == recipe.fields.get("resource") for row in rows)


def _recipe(name: str, entry: dict[str, Any], source: str) -> Recipe:
    main, daemon = entry.get("main", {}), entry.get("daemon")
    fields = entry["rdma"]
    return Recipe(
        name=name,
        title=entry["title"],
        fabric=entry["fabric"],
        provider=entry.get("provider"),
        fields=MappingProxyType(fields),
        machines=MappingProxyType(entry.get("machines") or _counts(fields)),
        must=tuple(entry.get("must", ())),
        on_nodes=entry.get("on-nodes"),
        volumes=tuple(_volume(key, target) for key, target in entry.get("volumes", {}).items()),
        mounts=MappingProxyType(main.get("mounts", {})),
        read_only=frozenset(main.get("readOnly", ())),
        capabilities=tuple(main.get("capabilities", ())),
        privileged=main.get("privileged", False),
        daemon=_daemon(daemon) if daemon else None,
        host_network=entry.get("hostNetwork", False),
        unproved=entry.get("unproved"),
        source=source,
    )


def _volume(name: str, target: str) -> FabricVolume:
    is_folder = target.startswith("/")
    return FabricVolume(name, target if is_folder else None, None if is_folder else target)


def _daemon(entry: dict[str, Any]) -> FabricDaemon:
    return FabricDaemon(
        name=entry["name"],
        image=entry["image"],
        command=tuple(entry["command"]),
        args=tuple(entry.get("args", ())),
        env=MappingProxyType(entry["env"]),
        capabilities=tuple(entry["capabilities"]),
        mounts=MappingProxyType(entry["mounts"]),
        ready=tuple(entry.get("ready", ())),
    )


def _counts(fields: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the device counts of machines, from the facts about the provider's resource."""
    rows = (row for provider in providers().values() for row in provider.rdma)
    row = next((row for row in rows if row.resource == fields.get("resource")), None)
    return {} if row is None else {name: {"count": count} for name, count in row.machines.items()}
