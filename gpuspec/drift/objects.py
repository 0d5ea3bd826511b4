"""Compare expected objects with the live ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.diff.amount_text import few
from gpuspec.diff.effects import effect_of, rolls
from gpuspec.diff.field_location import pattern, place
from gpuspec.diff.fields import Raw, differences
from gpuspec.diff.hidden import is_hidden, masked, opened
from gpuspec.diff.immutable import kept_field, way
from gpuspec.diff.model import EFFECTS, Field
from gpuspec.diff.steps import written
from gpuspec.diff.values import ABSENT
from gpuspec.drift.dump import kind_of_value
from gpuspec.drift.filled import About, is_drift
from gpuspec.drift.model import Difference, DriftRemark
from gpuspec.drift.running import workload_of
from gpuspec.kinds import kind_of, pod_paths, traits_of
from gpuspec.manifests.values import at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gpuspec.diff.steps import Pattern
    from gpuspec.drift.dump import Dump, Json, Kind
    from gpuspec.drift.model import About as Of

_SCALERS = (
    ("autoscaling", "HorizontalPodAutoscaler"),
    ("keda.sh", "ScaledObject"),
    ("autoscaling.aibrix.ai", "PodAutoscaler"),
)
_SCALED = "Deployment"
"""The kind that an autoscaler scales by default."""
Target = tuple[str, str, str]


class ExpectedObject(msgspec.Struct, frozen=True):
    """An object that should be there."""

    value: dict[str, Any]
    about: Of
    where: str = ""

    @property
    def kind(self) -> Kind:
        """Group and kind."""
        return kind_of_value(self.value)

    @property
    def namespace(self) -> str:
        """Empty for a cluster-wide object, and if the object states none."""
        kind = kind_of(*self.kind)
        spaced = kind is None or kind.namespaced
        return str(at(self.value, ("metadata", "namespace")) or "") if spaced else ""

    @property
    def name(self) -> str:
        """Its name; empty if it is generated."""
        return str(at(self.value, ("metadata", "name")) or "")

    @property
    def workload(self) -> tuple[str, str] | None:
        """Namespace and name of its workload."""
        labels = at(self.value, ("metadata", "labels"))
        return workload_of(labels, self.namespace or "default")

    @property
    def title(self) -> str:
        """A title such as `ResourceQuota research/gpuspec`."""
        return f"{self.kind[1]} {self.called}"

    @property
    def called(self) -> str:
        """Namespace and name, such as `research/gpuspec`."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


class ComparedObjects(msgspec.Struct, frozen=True):
    """The results for all expected objects."""

    differences: tuple[Difference, ...]
    unseen: tuple[ExpectedObject, ...]
    count: int
    """Number of objects that could be looked up."""
    notes: tuple[str, ...]


def look(expected_objects: Iterable[ExpectedObject], dump: Dump) -> ComparedObjects:
    """Compare each object with the live one of its kind and name."""
    objects = [expected_obj for expected_obj in expected_objects if expected_obj.name]
    scaled = {*scale_targets(dump), *_targets(obj.value for obj in objects)}
    drifted: list[Difference] = []
    unseen: list[ExpectedObject] = []
    notes: list[str] = []
    count = 0
    for obj in objects:
        if not dump.has(obj.kind):
            unseen.append(obj)
            continue
        count += 1
        live = dump.find(obj.kind, obj.namespace, obj.name)
        if live is None:
            if _may_be_over(obj):
                notes.append(
                    f"{obj.title} is missing: the cluster deletes it some time after its end"
                )
            else:
                drifted.append(Difference("missing", obj.about, obj.title, where=obj.where))
        elif (api_version := str(live.get("apiVersion"))) != obj.value.get("apiVersion"):
            version = str(obj.value.get("apiVersion"))
            notes.append(
                f"{obj.title} is of {api_version} in the dump and of {version} as rendered: "
                f"its fields are not compared; dump {_ask(obj.kind, version)}"
            )
        else:
            raws = changed(obj, live, is_scaled=_target(obj) in scaled)
            if raws:
                drifted.append(_different(obj, live, raws))
    return ComparedObjects(tuple(drifted), tuple(unseen), count, tuple(notes))


def changed(expected_object: ExpectedObject, live: Json, *, is_scaled: bool) -> list[Raw]:
    """Return the differing fields of a live object, each with the expected value and the live one."""
    about = About(expected_object.kind, expected_object.value, _pods(expected_object), is_scaled)
    raws = differences(
        opened(expected_object.kind, expected_object.value), opened(expected_object.kind, live)
    )
    return [raw for raw in raws if is_drift(about, raw)]


def _pods(expected_object: ExpectedObject) -> tuple[tuple[Pattern, ...], ...]:
    """Return the patterns of an object's pods: the specs, each with the metadata next to it."""
    patterns = (
        (
            pattern(pod_path.spec),
            *(() if pod_path.metadata is None else (pattern(pod_path.metadata),)),
        )
        for pod_path in pod_paths(expected_object.value)
    )
    return tuple(dict.fromkeys(patterns))


def _different(expected_object: ExpectedObject, live: Json, raws: list[Raw]) -> Difference:
    """Return the differing fields as a difference, with the way to restore the expected values."""
    fields = tuple(_field(expected_object, raw, live) for raw in raws)
    effect = max((field.effect for field in fields), key=EFFECTS.index)
    remarks: tuple[DriftRemark, ...] = ()
    if effect == "refused":
        refused = [
            raw for raw, field in zip(raws, fields, strict=True) if field.effect == "refused"
        ]
        immutable = dict.fromkeys(kept_field(expected_object.kind, raw) for raw in refused)
        text = (
            f"the API server refuses an apply: {few([*immutable])} cannot change; "
            f"{way(expected_object.kind)}"
        )
        remarks = (DriftRemark("object", text),)
    elif effect != "in place":
        text = f"if applied: {rolls(expected_object.kind, expected_object.value).text}"
        remarks = (DriftRemark("object", text),)
    return Difference(
        "different",
        expected_object.about,
        expected_object.title,
        remarks,
        fields,
        expected_object.where,
    )


def _field(expected_object: ExpectedObject, raw: Raw, live: Json) -> Field:
    pods = _pods(expected_object)
    part, name = place(raw.steps, pods, several=len(pods) > 1)
    hidden = is_hidden(expected_object.kind, raw.steps)
    before, after = (
        None if content is ABSENT or hidden else masked(content) for content in (raw.old, raw.new)
    )
    back = Raw(raw.steps, raw.new, raw.old, raw.reordered)
    effect = effect_of(expected_object.kind, back, live, expected_object.value, pods)
    return Field(written(raw.steps), part, name, raw.change, before, after, hidden, effect)


def _may_be_over(expected_object: ExpectedObject) -> bool:
    """Return whether the object is deleted some time after its end, so that its absence is no
    drift."""
    ttl = traits_of(*expected_object.kind).ttl
    return bool(ttl) and at(expected_object.value, ttl) is not None


def scale_targets(dump: Dump) -> Iterator[Target]:
    """Yield the targets of live autoscalers: kind, namespace and name."""
    for kind in _SCALERS:
        yield from _targets(dump.of(kind))


def _targets(values: Iterable[Json]) -> Iterator[Target]:
    for value in values:
        kind = kind_of_value(value)
        target = at(value, ("spec", "scaleTargetRef"))
        if kind in _SCALERS and isinstance(target, dict):
            space = str(at(value, ("metadata", "namespace")) or "")
            yield str(target.get("kind") or _SCALED), space, str(target.get("name") or "")


def _target(expected_object: ExpectedObject) -> Target:
    return expected_object.kind[1], expected_object.namespace, expected_object.name


def ask(kind: Kind) -> str:
    """Return the name of a kind for `kubectl get`."""
    group, name = kind
    return f"{name.lower()}.{group}" if group else name.lower()


def _ask(kind: Kind, version: str) -> str:
    group, name = kind
    return f"{name.lower()}.{version.rpartition('/')[2]}.{group}" if group else name.lower()
