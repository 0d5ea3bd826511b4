"""Whether what an object names and a set does not have is missing, or only somewhere else.

A run seldom has all objects of a cluster: people make Secrets by hand, classes come with the cluster,
runtimes with an operator, claims from another folder. So a name that nothing has says nothing by
itself, whatever its kind. It is wrong where the set has what must have been meant by it:

- a name that differs by a slip of the pen, in the same folder: who writes both writes them alike;
- the name behind a prefix, or before a suffix, that the one who names it has too, in one file:
  a build gave it to all, and did not know this field for a name;
- the same name in another namespace, in one file: names reach no other namespace.

What somebody else makes under the name is there: a generator of Kustomize, an ExternalSecret.
"""

from __future__ import annotations

from collections.abc import Iterator
from os.path import dirname
from typing import TYPE_CHECKING

from gpuspec.lint.subjects.reading.kustomizations import generates, is_own
from gpuspec.lint.subjects.reading.names import MANY, slip
from gpuspec.loading.placeholders import blank_name
from gpuspec.objects.collection import same_namespace

if TYPE_CHECKING:
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object
    from gpuspec.objects.references import Ref


def meant(ref: Ref, one: Object, collection: Collection) -> Object | None:
    """What must have been meant by a name that nothing has; None where it may be elsewhere."""
    if any(map(blank_name, (ref.name, ref.namespace))) or _is_made(ref, collection):
        return None
    beside = collection.once(_by_folder).get((ref.group, ref.kind, _folder(one)), ())
    if len(beside) > MANY:
        return None
    for likely in (_alike, _built, _elsewhere):
        found = [each for each in beside if likely(ref, one, each)]
        if found:
            # Of several none is meant more than the others.
            return found[0] if len({each.name for each in found}) == 1 else None
    return None


def _alike(ref: Ref, one: Object, other: Object) -> bool:
    return same_namespace(ref.namespace, other.namespace) and slip(ref.name, other.name)


def _built(ref: Ref, one: Object, other: Object) -> bool:
    if is_own(one.group) or one.file != other.file:
        return False
    before, _, behind = other.name.partition(ref.name)
    return same_namespace(ref.namespace, other.namespace) and (
        (before.endswith("-") and not behind and one.name.startswith(before))
        or (behind.startswith("-") and not before and one.name.endswith(behind))
    )


def _elsewhere(ref: Ref, one: Object, other: Object) -> bool:
    return (
        ref.name == other.name
        and one.file == other.file
        and not same_namespace(ref.namespace, other.namespace)
    )


def _is_made(ref: Ref, collection: Collection) -> bool:
    """Whether something of the set makes what is named."""
    return generates(ref.name, ref.kind, collection) or any(
        kind != ref.kind
        and kind.endswith(ref.kind)
        and collection.named(group, kind, ref.name, ref.namespace) is not None
        for group, kind in collection.kinds
    )


def _by_folder(collection: Collection) -> dict[tuple[str, str, str], list[Object]]:
    found: dict[tuple[str, str, str], list[Object]] = {}
    for one in _all(collection):
        found.setdefault((one.group, one.kind, _folder(one)), []).append(one)
    return found


def _all(collection: Collection) -> Iterator[Object]:
    for kind in collection.kinds:
        yield from collection.of(*kind)


def _folder(one: Object) -> str:
    return dirname(one.file)  # noqa: PTH120
