"""Collects the volumes of a pod and the mounts of its main container."""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct, field

from gpuspec.manifests import Path
from gpuspec.plan.decision import Decision, Origin, from_spec

Source = dict[str, Any]


class _PlannedVolume(Struct):
    name: str
    source: Source
    reason: str
    origin: Origin
    read_only: bool


class Volumes(Struct):
    """Volumes in the order of their first use.

    A claim becomes one volume however often it is mounted: the kubelet waits endlessly for the
    second of two volumes with the same claim (kubernetes#82526, #132921).
    """

    mounts: list[Decision] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    """The volumes' names in the pod, by their names in the spec."""
    _volumes: list[_PlannedVolume] = field(default_factory=list)

    def ours(
        self,
        name: str,
        source: Source,
        at: str | None,
        decision: Decision,
        *,
        read_only: bool = False,
    ) -> None:
        """Add a volume that the spec does not mention, with the decision's reason and origin.

        Without a path the main container does not mount it.
        """
        self._volumes.append(
            _PlannedVolume(name, source, decision.reason, decision.origin, read_only=False)
        )
        if at is None:
            return
        self.names[name] = name
        mount: dict[str, Any] = {"name": name, "mountPath": at}
        if read_only:
            mount["readOnly"] = True
        self.mounts.append(Decision(mount, decision.reason, decision.origin))

    def add(
        self,
        name: str,
        source: Source,
        at: str,
        path: Path,
        reason: str,
        *,
        read_only: bool = False,
        sub_path: str | None = None,
    ) -> None:
        """Add a volume of the spec, mounted in the main container."""
        volume = self._same_claim(source)
        if volume is None:
            volume = _PlannedVolume(name, source, reason, Origin("spec", path), read_only)
            self._volumes.append(volume)
        volume.read_only = volume.read_only and read_only
        self.names[name] = volume.name
        mount: dict[str, Any] = {"name": volume.name, "mountPath": at}
        if sub_path:
            mount["subPath"] = sub_path
        if read_only:
            mount["readOnly"] = True
        self.mounts.append(from_spec(path, mount, reason))

    def written(self, names: Iterable[str]) -> None:
        """Record volumes, by the spec's names, that other containers than the main one write to."""
        volumes = {self.names[name] for name in names if name in self.names}
        for volume in self._volumes:
            volume.read_only = volume.read_only and volume.name not in volumes

    def decisions(self) -> tuple[Decision, ...]:
        """Return the pod's volumes. A claim is read-only as a whole if each of its mounts is."""
        return tuple(
            Decision({"name": v.name, **_read_only(v)}, v.reason, v.origin) for v in self._volumes
        )

    def _same_claim(self, source: Source) -> _PlannedVolume | None:
        claim = source.get("persistentVolumeClaim")
        return next(
            (v for v in self._volumes if claim and v.source.get("persistentVolumeClaim") == claim),
            None,
        )


def _read_only(volume: _PlannedVolume) -> Source:
    if volume.read_only and "persistentVolumeClaim" in volume.source:
        return {
            "persistentVolumeClaim": {**volume.source["persistentVolumeClaim"], "readOnly": True}
        }
    return volume.source
