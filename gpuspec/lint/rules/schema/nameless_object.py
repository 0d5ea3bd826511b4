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


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield objects of known kinds with neither `name` nor `generateName`."""
    if obj.name or obj.is_a("", "LimitRange"):  # which the server gives a name
        return
    name_values = [obj.metadata.get(field) for field in ("name", "generateName")]
    if any(value not in (None, "") for value in name_values) or obj.group in _QUESTIONS:
        return
    is_bundled = is_known(obj.api_version, obj.kind, context.kubernetes)
    if obj.kind.endswith("List") or not (is_bundled or context.is_located(obj)):
        return
    yield RawFinding(
        obj.path("metadata", "name"),
        f"the `{obj.kind}` has no `metadata.name`: the API server rejects the object",
        note="set `metadata.name`",
    )
