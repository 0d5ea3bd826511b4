"""An object without a name."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Object
from gpuspec.validation.custom import is_known

RULE = Rule(
    "GPU004",
    "nameless-object",
    "error",
    "An object has no name",
)

# What is asked of a server and kept by none.
_QUESTIONS = frozenset({"authentication.k8s.io", "authorization.k8s.io"})


def check(one: Object, context: Context) -> Iterator[RawFinding]:
    """Yield objects of known kinds with neither `name` nor `generateName`."""
    if one.name or one.is_a("", "LimitRange"):  # which the server gives a name
        return
    written = [one.metadata.get(field) for field in ("name", "generateName")]
    if any(value not in (None, "") for value in written) or one.group in _QUESTIONS:
        return
    is_bundled = is_known(one.api_version, one.kind, context.kubernetes)
    if one.kind.endswith("List") or not (is_bundled or context.is_located(one)):
        return
    yield RawFinding(
        one.path("metadata", "name"),
        f"the `{one.kind}` has no `metadata.name`: the API server rejects it",
    )
