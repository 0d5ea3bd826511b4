"""The results of validation."""

from typing import Literal

import msgspec
from msgspec.structs import replace

from gpuspec.manifests import Path

Reason = Literal[
    "unknown-field",
    "missing-field",
    "wrong-type",
    "wrong-value",
    "refused",
    "not-served",
    "no-schema",
]
"""Why an object is not valid.

`not-served`: the API is Kubernetes' own and has no such kind in this version, or the bundled
release of a custom kind's project does not have this version of it, so a cluster refuses the
object. `refused`: the schema allows it, but the API server's own validation, or its decoder, does
not. `no-schema`: the API is of another project whose schema is not bundled, so there is no verdict;
the caller decides.
"""


API_SERVER = "the API server rejects the object"


class SchemaViolation(msgspec.Struct, frozen=True):
    """One fault of an object."""

    path: Path
    """The path from the object's root. For a missing field, the path that it would have."""
    message: str
    """The message; fields are in backquotes."""
    reason: Reason
    expected: str | None = None
    """The valid value as a noun: ``an integer or a string``, or the value itself."""
    hint: str | None = None
    """What to write instead, if it is known."""
    meant: Path | None = None
    """The right path of an unknown field: another name, or another map."""
    right: str | None = None
    """The valid word that differs only in case."""
    by: str = API_SERVER
    """The program that refuses the object, if the reason is `refused`, with the consequence."""
    project: str = ""
    """The project that refuses the object, if it is not the one of its kind."""
    sign: str | None = None
    """The sign in a cluster that the operator never starts it, if the server stores it."""
    taken: bool = False
    """Whether the API server accepts the object all the same, because it fills in a missing value.
    """
    zero: str | None = None
    """The value that a webhook writes in place of an absent one, before the schema is checked; None
    if there is none.
    """
    outer: bool = False
    """Whether the operator checks the object even inside of another object."""
    lacking: bool = False
    """Whether an addition may remove the fault: the cause is a field or an item that is absent."""
    in_pod: bool = False
    """Whether the schema of the object allows it, but not that of the pods created from it."""
    doubt: str | None = None
    """Why a violation in a pod is only likely, with what to do."""


def placed(path: Path, violation: SchemaViolation) -> SchemaViolation:
    """Return a violation of a part, with its path from the whole."""
    if not path:
        return violation
    meant_path = None if violation.meant is None else (*path, *violation.meant)
    return replace(violation, path=(*path, *violation.path), meant=meant_path, outer=False)
