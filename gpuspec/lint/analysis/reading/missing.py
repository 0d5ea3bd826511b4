"""Whether a named object that the set does not contain is missing, or only elsewhere.

A set seldom contains all objects of a cluster: people create Secrets by hand, classes come with the
cluster, runtimes with an operator, claims from another folder. So an unknown name alone is not a
fault. It is a fault if the set contains the object that must have been meant:

- a name that differs by a slip of the pen, in the same folder: who writes both writes them alike;
- the name behind a prefix, or before a suffix, that the one who names it has too, in one file:
  a build gave it to all, and did not know this field for a name;
- the same name in another namespace, in one file: names reach no other namespace.

What somebody else makes under the name is there: a generator of Kustomize, an ExternalSecret.
"""

from __future__ import annotations

from os.path import dirname
from typing import TYPE_CHECKING

from gpuspec.kinds import traits_of
from gpuspec.kinds.name_references import is_rewritten
from gpuspec.lint.analysis.reading.kustomizations import everywhere_above, generates
from gpuspec.lint.analysis.reading.names import Slips
from gpuspec.loading.placeholders import blank_name
from gpuspec.objects.references import made_by

if TYPE_CHECKING:
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object
    from gpuspec.objects.references import Ref


def meant(ref: Ref, obj: Object, collection: Collection) -> Object | None:
    """Return the object that an unresolved name probably means; None if the target may be
    elsewhere."""
    if not may_be_missing(ref, collection):
        return None
    for likely in (_alike, _built, _elsewhere):
        if objects := likely(ref, obj, collection):
            # Of several none is meant more than the others.
            return objects[0] if len({candidate.name for candidate in objects}) == 1 else None
    return None


def may_be_missing(ref: Ref, collection: Collection) -> bool:
    """Return whether a name is complete, and no object of the set creates its target."""
    return not any(map(blank_name, (ref.name, ref.namespace))) and not _is_made(ref, collection)


def _alike(ref: Ref, obj: Object, collection: Collection) -> list[Object]:
    names = collection.once(_by_folder).get((ref.group, ref.kind, _folder(obj)))
    return [
        namesake
        for name in (names.near(ref.name) if names else ())
        for namesake in collection.all_named(ref.group, ref.kind, name, ref.namespace)
        if _folder(namesake) == _folder(obj)
    ]


def _built(ref: Ref, obj: Object, collection: Collection) -> list[Object]:
    if is_rewritten(obj.group, obj.kind, ref.path[len(obj.base) :], ref.kind):
        return []
    dashes = [at for at, letter in enumerate(obj.name) if letter == "-"]
    names = [obj.name[: at + 1] + ref.name for at in dashes]
    names += [ref.name + obj.name[at:] for at in dashes]
    return [
        namesake
        for name in names
        for namesake in collection.all_named(ref.group, ref.kind, name, ref.namespace)
        if namesake.file == obj.file
    ]


def _elsewhere(ref: Ref, obj: Object, collection: Collection) -> list[Object]:
    if any(maker.value.get("namespace") for maker in everywhere_above(obj, collection)):
        return []  # a build puts both into one namespace, whatever they say
    anywhere = collection.all_named(ref.group, ref.kind, ref.name)
    return [candidate for candidate in anywhere if candidate.file == obj.file]


def _is_made(ref: Ref, collection: Collection) -> bool:
    """Return whether an object of the set creates the named object."""
    if (ref.group, ref.kind, ref.name) in collection.once(_made):
        return True
    return generates(ref.name, ref.kind, collection) or any(
        kind != ref.kind
        and kind.endswith(ref.kind)
        and collection.named(group, kind, ref.name, ref.namespace) is not None
        for group, kind in collection.kinds
    )


def _made(collection: Collection) -> set[tuple[str, str, str]]:
    """Return group, kind and name of objects that controllers create, as other objects request
    them."""
    return {
        (ref.group, ref.kind, ref.name)
        for kind in collection.kinds
        if traits_of(*kind).makes
        for obj in collection.of(*kind)
        for ref in made_by(obj)
    }


def _by_folder(collection: Collection) -> dict[tuple[str, str, str], Slips]:
    names_by_folder: dict[tuple[str, str, str], set[str]] = {}
    for kind in collection.kinds:
        for obj in collection.of(*kind):
            names_by_folder.setdefault((*kind, _folder(obj)), set()).add(obj.name)
    return {key: Slips(sorted(names)) for key, names in names_by_folder.items()}


def _folder(obj: Object) -> str:
    return dirname(obj.file)
