"""A rollout strategy that contradicts itself, and that the API server refuses."""

from collections.abc import Iterator
from typing import Any

from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import Drop, Fix, RawFinding, Rule
from gpuspec.manifests.values import mapping
from gpuspec.numbers import read_percent
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU513",
    "strategy-refused",
    "error",
    "The API server rejects the rollout strategy",
    fix="unsafe",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield `Recreate` with numbers for a rolling update; and 0 for both numbers."""
    strategy = mapping(obj.spec.get("strategy"))
    rolling = strategy.get("rollingUpdate")
    if strategy.get("type") == "Recreate" and rolling is not None:
        path = obj.path("spec", "strategy", "rollingUpdate")
        yield RawFinding(
            path,
            f"`rollingUpdate` is set with `type: Recreate`: the API server rejects the {obj.kind}",
            note="remove `rollingUpdate`, or write `rollingUpdate: null` in a patch, which keeps what it leaves out",
            key=True,
            fix=Fix("remove `rollingUpdate`", (Drop(path),)),
        )
        return
    numbers = mapping(rolling)
    if _zero(numbers.get("maxSurge")) and _zero(numbers.get("maxUnavailable")):
        path = obj.path("spec", "strategy", "rollingUpdate", "maxUnavailable")
        yield RawFinding(
            path,
            "`maxSurge` and `maxUnavailable` are both 0, so no pod could be replaced: the "
            f"API server rejects the {obj.kind}",
            fix=set_field(path, 1),
        )


def _zero(value: Any) -> bool:
    if isinstance(value, str):
        return read_percent(value) == 0
    return value == 0 and not isinstance(value, bool)
