"""Semantic versions: `semver("1.2.3")`.

Source: k8s.io/apiserver 1.37, pkg/cel/library.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from gpuspec.cel.regexes import compiled
from gpuspec.cel.registry import can, function
from gpuspec.cel.values import Failure, Opaque
from gpuspec.numbers import is_digits, of_digits


class Version(Opaque):
    """A version, in the form by which versions are compared."""

    NAME = "kubernetes.Semver"


_NUMBER = "(0|[1-9][0-9]*)"
_PART = "[0-9A-Za-z-]+"
_SEMVER = (
    rf"^{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-({_PART}(?:\.{_PART})*))?(?:\+{_PART}(?:\.{_PART})*)?$"
)


@function("semver(string) -> kubernetes.Semver", "semver(string, bool) -> kubernetes.Semver")
def version(text: str, lax: bool = False) -> Version:
    """Read a version. Raises `Failure`."""
    match = compiled(_SEMVER).search(_filled(text) if lax else text)
    parts = (match[4] or "").split(".") if match else []
    if match is None or any(compiled("^0[0-9]+$").search(part) for part in parts):
        raise Failure(f"{text!r} is not a semantic version")
    before = tuple(
        (0, of_digits(part), "") if is_digits(part) else (1, 0, part) for part in parts if part
    )
    # A version without a part before its release is the later one.
    return Version(
        (of_digits(match[1]), of_digits(match[2]), of_digits(match[3]), not before, before)
    )


def _filled(text: str) -> str:
    """Fill up a short version: `v1` is `1.0.0`."""
    parts = text.removeprefix("v").split(".", 2)
    for index, part in enumerate(parts):
        if len(part) > 1:
            bare = part.lstrip("0")
            parts[index] = bare if is_digits(bare[:1]) else f"0{bare}"
    if len(parts) < 3 and compiled("[+-]").search(parts[-1]):
        raise Failure("short version cannot contain PreRelease/Build meta data")
    return ".".join([*parts, *["0"] * (3 - len(parts))])


function("isSemver(string) -> bool", "isSemver(string, bool) -> bool")(can(version))


def _field_of(index: int) -> Callable[[Version], int]:
    def body(value: Version) -> int:
        return operator.index(value.of[index])

    return body


for _index, _name in enumerate(("major", "minor", "patch")):
    function(f"kubernetes.Semver:{_name}() -> int")(_field_of(_index))
