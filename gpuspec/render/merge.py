"""Strategic merge, as `kubectl patch --type=strategic` does it.

Mappings merge, `null` deletes, lists of named things merge by their key, all other lists are
replaced. It is stricter than kubectl for patches that cannot be intended: deleting a missing field,
an empty list that merges nothing, an item named twice. It is more general in one respect: lists of
named things merge for every kind, so that an override for an operator's kind reads like one for a
Job.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from gpuspec.manifests import Path
from gpuspec.render.merge_keys import lists_of, merge_key, replaced_of
from gpuspec.render.order import merged_order

DIRECTIVE = "$patch"
_PLACED = ((DIRECTIVE, "replace"), (DIRECTIVE, "delete"))


class PatchError(msgspec.Struct, frozen=True):
    """One problem with a patch."""

    message: str
    path: Path
    """The path in the patch."""
    hint: str | None = None


class MergeError(ValueError):
    """A patch that cannot be applied, with all its problems."""

    def __init__(self, wrong: list[PatchError]) -> None:
        super().__init__("; ".join(patch_error.message for patch_error in wrong))
        self.wrong = tuple(wrong)


class MergeResult(msgspec.Struct):
    """A merged value, and the changes to the paths of its base."""

    value: Any = None
    changed: list[tuple[Path, Path]] = msgspec.field(default_factory=list)
    """Paths of the value that the patch set or deleted, each with its path in the patch."""
    shortened: list[tuple[Path, Path]] = msgspec.field(default_factory=list)
    """Paths of lists from which an item was deleted, each with the item's path in the patch."""
    _moved: dict[Path, dict[int, int]] = msgspec.field(default_factory=dict)
    _wrong: list[PatchError] = msgspec.field(default_factory=list)
    _replaced: Path | None = None
    _lists: Mapping[str, str] = msgspec.field(default_factory=dict)

    def follow(self, path: Path) -> Path | None:
        """Return the path in the merged value for a path in the base; None if its list item was
        deleted."""
        steps: list[str | int] = []
        for end, step in enumerate(path):
            moves = self._moved.get(path[:end])
            if moves is not None and isinstance(step, int):
                if step not in moves:
                    return None
                step = moves[step]
            steps.append(step)
        return tuple(steps)


class _Where(msgspec.Struct, frozen=True):
    """Corresponding paths in the base, in the merged value and in the patch."""

    old: Path = ()
    new: Path = ()
    patch: Path = ()

    def key(self, name: str) -> "_Where":
        return _Where((*self.old, name), (*self.new, name), (*self.patch, name))


def merge(base: Mapping[str, Any], patch: Mapping[str, Any]) -> MergeResult:
    """Return the merged object; `base` and `patch` do not change. Raises `MergeError`."""
    merged = MergeResult(_replaced=replaced_of(base), _lists=lists_of(base))
    merged.value = _value(dict(base), dict(patch), _Where(), merged)
    if merged._wrong:
        raise MergeError(merged._wrong)
    return merged


def _value(base: Any, patch: Any, where: _Where, merged: MergeResult) -> Any:
    if isinstance(patch, dict) and isinstance(base, dict) and where.new != merged._replaced:
        return _mapping(base, patch, where, merged)
    if isinstance(patch, list) and isinstance(base, list):
        key = merge_key(where.new, merged._lists)
        if key is not None and not _replaces(patch):
            return _list(base, patch, key, where, merged)
    merged.changed.append((where.new, where.patch))
    return _added(patch, where.patch, merged)


def _mapping(
    base: dict[str, Any], patch: dict[str, Any], where: _Where, merged: MergeResult
) -> Any:
    if DIRECTIVE in patch:
        merged.changed.append((where.new, where.patch))
        if patch == {DIRECTIVE: "delete"}:
            return {}  # as Kubernetes has it; `null` is what leaves nothing
        return _added(patch, where.patch, merged)
    out = dict(base)
    for name, value in patch.items():
        at = where.key(name)
        if _is_directive(name):
            _refuse_directive(name, at.patch, merged)
        elif value is None and name in out:
            del out[name]
            merged.changed.append((at.new, at.patch))
        elif name in out:
            out[name] = _value(out[name], value, at, merged)
        else:
            merged.changed.append((at.new, at.patch))
            out[name] = _added(value, at.patch, merged)
    return out


def _list(
    base: list[Any], patch: list[Any], key: str, where: _Where, merged: MergeResult
) -> list[Any]:
    """Return a list of named things: matching items merged, others added, in the order of
    kubectl."""
    if not patch:
        hint = "write null to delete the list, or the items to change"
        merged._wrong.append(PatchError("an empty list changes nothing here", where.patch, hint))
    places: dict[int, int | None] = {}  # index in the patch to index in the base
    gone: set[int] = set()
    for index, item in enumerate(patch):
        at = (*where.patch, index)
        if not _is_named(item, key, patch[:index], at, merged):
            continue
        same = [i for i, have in enumerate(base) if _name(have, key) == item[key]]
        if len(same) > 1:
            hint = f"write the whole list, behind an item `{DIRECTIVE}: replace`"
            merged._wrong.append(PatchError(f"several items have {key} {item[key]}", at, hint))
        elif item.get(DIRECTIVE) != "delete":
            places[index] = same[0] if same else None
        elif same:
            gone.add(same[0])
            merged.shortened.append((where.new, at))
        else:
            merged._wrong.append(PatchError(f"there is no {key} {item[key]} to delete", at))
    order = merged_order(places, [i for i in range(len(base)) if i not in gone])
    merged._moved[where.old] = {old: new for new, (_, old) in enumerate(order) if old is not None}
    out: list[Any] = []
    for new, (patch_index, old) in enumerate(order):
        source = (*where.patch, patch_index or 0)
        if patch_index is not None and old is not None:
            item_places = _Where((*where.old, old), (*where.new, new), source)
            changes = {field: value for field, value in patch[patch_index].items() if field != key}
            out.append(_value(base[old], changes, item_places, merged))
        elif patch_index is not None:
            merged.changed.append(((*where.new, new), source))
            base_names = ", ".join(str(_name(have, key)) for have in base)
            message = f"there is no {key} {patch[patch_index][key]} to change, only {base_names}"
            out.append(_added(patch[patch_index], source, merged, message if base else None))
        elif old is not None:
            out.append(base[old])
    return out


def _is_named(item: Any, key: str, before: list[Any], at: Path, merged: MergeResult) -> bool:
    """Return whether an item of a patch can be matched; its problems are recorded."""
    directive = item.get(DIRECTIVE) if isinstance(item, dict) else None
    hint: str | None
    if _name(item, key) is None:
        text, hint = f"an item of this list needs `{key}`", "items are merged by it"
    elif directive not in (None, "delete"):
        text = f"`{DIRECTIVE}: {directive}` does not belong in an item that has other fields"
        hint = f"an item of its own, `{DIRECTIVE}: replace`, replaces the whole list"
    elif directive == "delete" and len(item) > 2:
        text, hint = f"an item to delete has only `{key}` and `{DIRECTIVE}`", None
    elif any(_name(earlier, key) == item[key] for earlier in before):
        text, hint = f"{key} {item[key]} is listed twice", "merge the two items"
    else:
        return True
    merged._wrong.append(PatchError(text, at, hint))
    return False


def _name(item: Any, key: str) -> Any:
    return item.get(key) if isinstance(item, dict) else None


def _replaces(patch: list[Any]) -> bool:
    return {DIRECTIVE: "replace"} in patch


def _added(value: Any, at: Path, merged: MergeResult, hint: str | None = None) -> Any:
    """Return the value that a patch adds at a path without a base: without directives and
    deletions.

    `hint`: why the base has no value, if that may be a mistake.
    """
    if isinstance(value, dict):
        if value.get(DIRECTIVE) == "delete":
            merged._wrong.append(PatchError("there is nothing to delete", at, hint))
        for name in value:
            if _is_directive(name) and (name, value[name]) not in _PLACED:
                _refuse_directive(name, (*at, name), merged)
        return {
            name: _added(inner, (*at, name), merged, hint)
            for name, inner in value.items()
            if not _is_directive(name)
        }
    if isinstance(value, list):
        return [
            _added(inner, (*at, index), merged, hint)
            for index, inner in enumerate(value)
            if inner != {DIRECTIVE: "replace"}
        ]
    if value is None:
        name = f"no `{at[-1]}`" if at and isinstance(at[-1], str) else "nothing"
        merged._wrong.append(PatchError(f"there is {name} to delete", at, hint))
    return value


def _is_directive(name: str) -> bool:
    return name.startswith("$")


def _refuse_directive(name: str, at: Path, merged: MergeResult) -> None:
    hint = f"overrides support `{DIRECTIVE}: replace`, `{DIRECTIVE}: delete` and null"
    merged._wrong.append(PatchError(f"`{name}` is not supported here", at, hint))
