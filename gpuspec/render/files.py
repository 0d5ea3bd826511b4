"""One file per object: names, and a check that no two objects are the same."""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Literal

from gpuspec.kinds import Identity, identity
from gpuspec.manifests import InputError, Problem, write

# Separators of folders, what ends a name for the system, and what a terminal would obey.
_FORBIDDEN = {"/", "\\", *map(chr, range(32)), "\x7f"}


def check_identities(objects: Iterable[dict[str, Any]]) -> None:
    """Raise `InputError` for every identity that several objects share."""
    counts = Counter(map(identity, objects))
    twice = [who for who, times in counts.items() if times > 1]
    if twice:
        hint = "give one of the workloads another name or namespace"
        raise InputError(
            Problem(f"two objects have the same name: {who}", hint=hint) for who in twice
        )


def object_files(
    objects: Iterable[dict[str, Any]], format: Literal["yaml", "json"] = "yaml"
) -> dict[str, str]:
    """Return a map of file names to texts, one file per object.

    Names are `namespace.kind.name.yaml`, in the order of the objects. If two names were equal,
    ignoring case, both get the API group after the kind. Raises `InputError` for two objects with
    one identity, and for a name that cannot be a file name.
    """
    object_list = list(objects)
    check_identities(object_list)
    who = [identity(item) for item in object_list]
    wrong = [
        object_identity
        for object_identity in who
        if _FORBIDDEN
        & set(f"{object_identity.namespace}{object_identity.kind}{object_identity.name}")
    ]
    if wrong:
        raise InputError(
            Problem(f"{str(object_identity)!r} cannot be a file name") for object_identity in wrong
        )
    short = [
        _joined(object_identity.namespace, object_identity.kind.lower(), object_identity.name)
        for object_identity in who
    ]
    times = Counter(map(str.casefold, short))
    names = [
        _joined(
            object_identity.namespace,
            object_identity.kind.lower(),
            object_identity.group or "core",
            object_identity.name,
        )
        if times[name.casefold()] > 1
        else name
        for object_identity, name in zip(who, short, strict=True)
    ]
    _check_names(names, who)
    return {
        f"{name}.{format}": write([item], format)
        for name, item in zip(names, object_list, strict=True)
    }


def _joined(*parts: str) -> str:
    return ".".join(part for part in parts if part)


def _check_names(names: list[str], who: list[Identity]) -> None:
    by_name: dict[str, list[Identity]] = {}
    for name, object_identity in zip(names, who, strict=True):
        by_name.setdefault(name.casefold(), []).append(object_identity)
    clashes = [identities for identities in by_name.values() if len(identities) > 1]
    if clashes:
        raise InputError(
            Problem(f"{' and '.join(map(str, clash))} would have the same file", hint="rename one")
            for clash in clashes
        )
