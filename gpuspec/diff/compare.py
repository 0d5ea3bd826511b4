"""Compare two sides object by object, with the consequences of each difference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.diff import amounts, images, owned, placing, probes, removal, security
from gpuspec.diff.amount_text import few
from gpuspec.diff.data import DataReaders
from gpuspec.diff.effects import effect_of, is_generated, rolls
from gpuspec.diff.field_location import patterns, place
from gpuspec.diff.fields import Raw, differences
from gpuspec.diff.hidden import is_hidden, masked, opened
from gpuspec.diff.immutable import kept_field, way
from gpuspec.diff.model import EFFECTS, ChangeRemark, Diff, Field, ObjectChange
from gpuspec.diff.pairing import home, kind, named, pairs
from gpuspec.diff.specs import changed_specs
from gpuspec.diff.steps import Pick, written
from gpuspec.diff.values import ABSENT
from gpuspec.kinds import traits_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence, Set

    from gpuspec.diff.model import Effect, Level, PodUse, Side, SideObject
    from gpuspec.diff.pairing import ObjectPair

_IDENTITY = (("apiVersion",), ("kind",), ("metadata", "name"), ("metadata", "namespace"))
_ORIGIN = ("metadata", "annotations")
_ORIGINS = {
    f"gpuspec.dev/{name}"
    for name in (
        *(
            "digest",
            "version",
            "spec-digest",
            "profile",
            "profile-digest",
            "templates-digest",
            "image",
        ),
        *("model", "model-revision", "method", "dataset", "input", "output"),
        "expected-duration",
    )
}


def compare(
    old: Side,
    new: Side,
    tell: Callable[[int, int], None] | None = None,
    notes: tuple[str, ...] = (),
) -> Diff:
    """Return the differences between two sides, in the order of the new side; removed objects come
    last.

    `tell` is called with the number of compared objects and the total; `notes` concern both sides.
    """
    readers = DataReaders(new.things)
    new_homes = {home(obj) for obj in new.things}
    changes: list[ObjectChange] = []
    origins = []
    alike = 0
    paired = [*pairs(old.things, new.things)]
    for done, pair in enumerate(paired, 1):
        change = _change(pair, readers, new_homes)
        if tell is not None:
            tell(done, len(paired))
        if change is None:
            alike += 1
        elif _is_origin(change):
            origins.append(change.object)
        else:
            changes.append(change)
    return Diff(
        old.name,
        new.name,
        changes=tuple(changes),
        specs=changed_specs(old.specs, new.specs),
        origins=tuple(origins),
        alike=alike,
        totals=amounts.totals(old.things, new.things),
        notes=tuple(dict.fromkeys((*old.notes, *new.notes, *notes))),
    )


def _change(
    pair: ObjectPair, readers: DataReaders, new_homes: Set[Hashable]
) -> ObjectChange | None:
    old, new = pair.old, pair.new
    if new is None:
        assert old is not None
        return _gone(
            old, *(removal.doubled(old) if home(old) in new_homes else removal.removed(old))
        )
    if old is None:
        return _new(new)
    raws = _retargeted(old, new) if pair.how == "retargeted" else _raws(pair)
    amount = tuple(amounts.amounts(old, new))
    if not raws and not amount and pair.how == "same":
        return None
    fields = [_field(raw, old, new) for raw in raws]
    effect: Effect
    if pair.how == "same" and is_generated(new.value):
        effect, remark = removal.generated(new)
        final = [remark]
    elif pair.how == "same":
        effect = max((field.effect for field in fields), key=EFFECTS.index, default="in place")
        final = _final(effect, raws, fields, old, new, readers)
    elif pair.how == "renamed":
        effect, remark = removal.renamed(old, new)
        final = [remark]
    else:
        effect, final = "recreated", [removal.retargeted(old, new)]
    was, now = named(old), named(new)
    return ObjectChange(
        "changed" if pair.how == "same" else pair.how,
        now,
        effect,
        _level(effect),
        was=was if was != now else None,
        file=new.file,
        old_file=old.file,
        spec=new.spec or old.spec,
        remarks=(
            *amounts.remarks(old, new),
            *_remarks(raws, old, new),
            *amounts.charts(new),
            *final,
        ),
        fields=tuple(fields),
        amounts=amount,
    )


def _new(new: SideObject) -> ObjectChange:
    remark = removal.added(new)
    return ObjectChange(
        "added",
        named(new),
        "in place",
        "any",
        file=new.file,
        spec=new.spec,
        remarks=((remark,) if remark else ()) + amounts.charts(new),
        amounts=tuple(amounts.amounts(None, new)),
    )


def _gone(old: SideObject, effect: Effect, change_remark: ChangeRemark | None) -> ObjectChange:
    return ObjectChange(
        "removed",
        named(old),
        effect,
        _level(effect),
        old_file=old.file,
        spec=old.spec,
        remarks=((change_remark,) if change_remark else ()) + amounts.charts(old),
        amounts=tuple(amounts.amounts(old, None)),
    )


def _raws(pair: ObjectPair) -> list[Raw]:
    assert pair.old is not None and pair.new is not None
    old, new = (opened(kind(obj), obj.value) for obj in (pair.old, pair.new))
    raw_differences = differences(old, new)
    if pair.how == "renamed":
        # The new name is said as such.
        return [raw for raw in raw_differences if raw.steps not in _IDENTITY]
    return raw_differences


def _retargeted(old: SideObject, new: SideObject) -> list[Raw]:
    """Compare only the pods of two objects of different kinds."""
    raw_differences: list[Raw] = []
    for before, after in amounts.pairs(old, new):
        if before is None or after is None:
            continue
        head = tuple(Pick(str(step)) if isinstance(step, int) else step for step in after.path)
        raw_differences += (
            Raw((*head, *raw.steps), raw.old, raw.new, raw.reordered)
            for raw in differences(before.spec, after.spec)
        )
    return raw_differences


def _field(raw: Raw, old: SideObject, new: SideObject) -> Field:
    which = kind(new)
    where = patterns((*new.pods, *old.pods))
    part, name = place(raw.steps, where, several=len(where) > 1)
    hidden = is_hidden(which, raw.steps)
    before, after = (
        None if value is ABSENT or hidden else masked(value) for value in (raw.old, raw.new)
    )
    return Field(
        written(raw.steps),
        part,
        name,
        raw.change,
        before,
        after,
        hidden,
        effect_of(which, raw, old.value, new.value, where),
        says_origin(raw),
    )


def says_origin(raw: Raw) -> bool:
    """Return whether an annotation states the object's origin, or a mapping has only such
    annotations."""
    if raw.steps == _ORIGIN:
        mappings = [value for value in (raw.old, raw.new) if isinstance(value, dict)]
        return bool(mappings) and all(value.keys() <= _ORIGINS for value in mappings)
    return raw.steps[:2] == _ORIGIN and len(raw.steps) == 3 and raw.steps[2] in _ORIGINS


def _final(
    effect: Effect,
    raws: Sequence[Raw],
    fields: Sequence[Field],
    old: SideObject,
    new: SideObject,
    readers: DataReaders,
) -> list[ChangeRemark]:
    """Return an object's change with its effect in words."""
    which = kind(new)
    if effect == "refused":
        immutable_fields = dict.fromkeys(
            kept_field(which, raw)
            for raw, field in zip(raws, fields, strict=True)
            if field.effect == "refused"
        )
        remark_text = f"the API server refuses the apply: {few(list(immutable_fields))} cannot change; {_way(new)}"
        return [ChangeRemark("effect", remark_text, alarm=True)]
    if effect != "in place":
        return [ChangeRemark("effect", rolls(which, new.value).text)]
    if which == removal.CLAIM and any(raw.steps[:2] == ("spec", "resources") for raw in raws):
        return [ChangeRemark("effect", "grows in place if its storage class allows it")]
    data = [raw for raw in raws if raw.steps[0] in ("data", "stringData", "binaryData")]
    said_of = readers.remark(new) if data else None
    return [said_of] if said_of else []


def _way(new: SideObject) -> str:
    """Return what to do if the API server rejects the apply; for a run from a spec, what to change
    in the spec."""
    which = kind(new)
    if not new.spec or not traits_of(*which).runs_once:
        return way(which)
    if new.spec.replace("/", " ").endswith(f" {new.value['metadata']['name']}"):
        return f"write `run` in the spec instead of `fixedName`, or delete the {which[1]} first"
    return f"write another `run` in the spec, or delete the {which[1]} first"


def _remarks(raws: Sequence[Raw], old: SideObject, new: SideObject) -> Iterator[ChangeRemark]:
    """Yield the consequences of an object's change for its pods."""
    yield from owned.remarks(raws, old, new)
    if kind(new) == ("", "Namespace"):
        yield from security.namespace(old, new)
    together = amounts.pairs(old, new)
    for before, after in together:
        if before is not None and after is not None:
            head = f"{after.role}: " if len(together) > 1 else ""
            yield from placing.remarks(head, before.spec, after.spec)
            yield from _containers(head, before, after)
            yield from security.remarks(head, before, after)


def _containers(head: str, old: PodUse, new: PodUse) -> Iterator[ChangeRemark]:
    before = {
        str(container_before.get("name")): container_before
        for _, container_before in old.containers
    }
    if len(old.containers) == len(new.containers) == 1:
        # The only one, whatever it is called.
        before = {str(new.containers[0][1].get("name")): old.containers[0][1]}
    for _, after in new.containers:
        name = str(after.get("name"))
        if (container_before := before.get(name)) is not None:
            shown = f"{head}{name}" if head else name
            yield from images.remarks(shown, _image(container_before), _image(after))
            yield from probes.remarks(shown, container_before, after)


def _image(container: dict[str, object]) -> str:
    image = container.get("image")
    return image if isinstance(image, str) else ""


def _level(effect: Effect) -> Level:
    rank = EFFECTS.index(effect)
    if rank >= EFFECTS.index("refused"):
        return "breaking"
    return "restart" if rank >= EFFECTS.index("restart") else "any"


def _is_origin(change: ObjectChange) -> bool:
    """Return whether an object differs only in provenance."""
    return (
        change.change == "changed"
        and bool(change.fields)
        and not change.amounts
        and all(field.provenance for field in change.fields)
    )
