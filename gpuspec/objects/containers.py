"""A container as rules see it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

from gpuspec.manifests import Path, Quantity
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.command_line import CommandLine, words_of
from gpuspec.objects.devices import WRITTEN, DeviceRequest, devices_of
from gpuspec.objects.lazy import lazy

Stage = Literal["init", "sidecar", "main", "ephemeral"]


_RAY_GROUPS = frozenset(("headGroupSpec", "workerGroupSpecs"))


class PodContainer:
    """One container and its path."""

    def __init__(
        self, value: dict[str, Any], path: Path, stage: Stage, resources: str = "resources"
    ) -> None:
        self.value = value
        self._path = path
        self.resources_at = resources
        """The name of its `resources` field; a TrainJob has `resourcesPerNode`."""
        self.stage: Stage = stage
        """`init`: runs to completion before the others start; `sidecar`: starts in that phase and
        keeps running."""
        self.name = text(value.get("name"))
        self.image = text(value.get("image"))

    def __repr__(self) -> str:
        return f"Container({self.name})"

    def path(self, *steps: str | int) -> Path:
        """Return the path, from the document's root, of a field of the container."""
        return (*self._path, *steps)

    @property
    def starts_entrypoint(self) -> bool:
        """Whether the image's entrypoint starts if no `command` is set.

        KubeRay replaces the command of a Ray pod's first container by its own (KubeRay 1.7,
        ray-operator/controllers/ray/common/pod.go, `BuildPod`).
        """
        return self._path[-2:] != ("containers", 0) or _RAY_GROUPS.isdisjoint(self._path)

    @lazy
    def resources(self) -> dict[str, Any]:
        """Its `resources`."""
        return mapping(self.value.get(self.resources_at))

    @lazy
    def limits(self) -> dict[str, Any]:
        """Its limits as written."""
        return mapping(self.resources.get("limits"))

    @lazy
    def requests(self) -> dict[str, Any]:
        """Its requests as written."""
        return mapping(self.resources.get("requests"))

    @lazy
    def devices(self) -> tuple[DeviceRequest, ...]:
        """The accelerators in its limits or requests."""
        return devices_of(self.limits, self.requests, self.path(self.resources_at))

    @lazy
    def gpus(self) -> int:
        """The number of accelerators it requests, of all kinds together; an invalid amount counts
        as 0."""
        total = 0
        for device in self.devices:
            total += device.count or 0
        return total

    def amount(self, resource: str) -> Quantity | None:
        """Return its request of a resource, or else its limit, or None."""
        for amount_text in (self.requests.get(resource), self.limits.get(resource)):
            if amount_text is not None and (parsed := quantity(amount_text)) is not None:
                return parsed
        return None

    @lazy
    def env(self) -> dict[str, tuple[int, dict[str, Any]]]:
        """Environment by name: the index in `env`, and the entry. A later entry wins."""
        entries: dict[str, tuple[int, dict[str, Any]]] = {}
        for index, entry in enumerate(items(self.value.get("env"))):
            if isinstance(entry, dict) and isinstance(entry.get("name"), str):
                entries[entry["name"]] = index, entry
        return entries

    def env_value(self, name: str) -> str | None:
        """Return the literal value of a variable; None if it is not set, or has a `valueFrom`."""
        entry = self.env.get(name)
        value = entry[1].get("value") if entry else None
        return value if isinstance(value, str) else None

    def env_path(self, name: str) -> Path:
        """Return the path of a variable's entry."""
        return self.path("env", self.env[name][0])

    @lazy
    def words(self) -> CommandLine:
        """The words of `command` and `args`; shell scripts are split."""
        return words_of(self.value, self.path())

    @lazy
    def security(self) -> dict[str, Any]:
        """Its own `securityContext`."""
        return mapping(self.value.get("securityContext"))

    @lazy
    def mounts(self) -> dict[str, tuple[int, dict[str, Any]]]:
        """Volume mounts by mount path: the index, and the entry."""
        return {
            entry["mountPath"].rstrip("/") or "/": (index, entry)
            for index, entry in enumerate(items(self.value.get("volumeMounts")))
            if isinstance(entry, dict) and isinstance(entry.get("mountPath"), str)
        }

    def probe(self, kind: Literal["startup", "readiness", "liveness"]) -> dict[str, Any] | None:
        """Return a probe, or None."""
        probe = self.value.get(f"{kind}Probe")
        return probe if isinstance(probe, dict) else None

    @lazy
    def ports(self) -> list[dict[str, Any]]:
        """Its container ports."""
        return [port for port in items(self.value.get("ports")) if isinstance(port, dict)]


def quantity(value: object) -> Quantity | None:
    """Return a quantity as written, or None if the value is not one."""
    if not isinstance(value, WRITTEN) or isinstance(value, bool):
        return None
    return _quantity(value)


@lru_cache(1024, typed=True)
def _quantity(value: str | float) -> Quantity | None:
    # A run meets the same few amounts over and over.
    try:
        return Quantity.parse(value)
    except ValueError:
        return None
