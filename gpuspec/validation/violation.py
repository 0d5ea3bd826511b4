"""What validation answers with."""

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

`not-served`: the API is Kubernetes' own and this version has no such kind in it, or the kind is a
custom one and the bundled release of its project does not have this version of it, so a cluster
will refuse the object. `refused`: the schema allows it, and the API server's own validation, or its
decoder, does not. `no-schema`: the API is somebody else's and its schema is not bundled, so there
is no verdict at all; whoever asked decides what that means.
"""


class SchemaViolation(msgspec.Struct, frozen=True):
    """One thing in an object that its schema does not allow."""

    path: Path
    """Where, from the object's root. A missing field's path names the field."""
    message: str
    """What is wrong, for people; fields stand in backquotes."""
    reason: Reason
    expected: str | None = None
    """What would be right, as a noun: ``an integer or a string``, or the value itself."""
    hint: str | None = None
    """What to write instead, when that can be told."""
    meant: Path | None = None
    """Where an unknown field would be right: under another name, or in another map."""
    right: str | None = None
    """The word that was meant, where what is written differs from it in capitals only."""
    by: str = "the API server rejects the object"
    """Who refuses it, of `refused`, and what comes of it."""
    project: str = ""
    """Whose word it is, where that is not the project whose kind the object is."""
    sign: str | None = None
    """What shows in a cluster that the operator never starts it, where the server stores it."""
    taken: bool = False
    """The API server takes the object all the same: it fills in what the schema misses."""
    zero: str | None = None
    """What a webhook writes here where nothing is, before the schema is asked; None for none."""
    outer: bool = False
    """The operator of the object says it, also where it stands in another object in it."""


def placed(path: Path, violation: SchemaViolation) -> SchemaViolation:
    """Return a violation in a part, seen from the whole."""
    if not path:
        return violation
    meant = None if violation.meant is None else (*path, *violation.meant)
    return replace(violation, path=(*path, *violation.path), meant=meant, outer=False)
