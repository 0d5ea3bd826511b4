"""Selectors of any kind that miss their probable target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.lint.analysis.reading.flux import final_namespace, namespace_of
from gpuspec.lint.analysis.reading.labels import NearSelector, may_be_unknown, pods, services
from gpuspec.lint.analysis.serving.selecting import selecting
from gpuspec.lint.model import RawFinding, RelatedPlace
from gpuspec.objects.collection import same_namespace

if TYPE_CHECKING:
    from gpuspec.manifests import Path
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object

_KNOWN = {"Pod": pods, "Service": services}


def missed(
    obj: Object, labels: dict[str, str], noun: str, collection: Collection
) -> NearSelector | None:
    """Return the probable target of labels without matches; None if it may be elsewhere.

    An object that another one of the kind in another file already selects is a variant of the
    target.
    """
    near = collection.once(_KNOWN[noun]).meant(labels, obj.namespace)
    if near is None or may_be_unknown(labels, obj.file, collection):
        return None
    thing = near.thing
    if not same_namespace(
        namespace_of(obj, collection), final_namespace(thing.namespace, thing.file, collection)
    ):
        return None
    objects = selecting(obj.group, obj.kind, thing.namespace, thing.labels, collection)
    return None if objects and thing.file != obj.file else near


def found(obj: Object, labels_at: Path, noun: str, then: str, near: NearSelector) -> RawFinding:
    """Return the finding; `labels_at` is the path of the labels from the document's root."""
    key, value = near.first
    place = (*labels_at, key)
    return RawFinding(
        place,
        f"the selector `{key}: {value}` matches no {noun} in these files, so {then}: {near}",
        confidence="likely",
        object=obj.number,
        related=(RelatedPlace(near.thing.object, (), f"{near.thing.kind} `{near.thing.name}`"),),
        fix=near.fix(place),
    )
