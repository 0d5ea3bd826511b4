"""A toleration or a term of the node affinity that the API server refuses."""

from collections.abc import Iterator
from typing import Any

from gpuspec.lint.context import Context
from gpuspec.lint.model import Drop, Fix, RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import items, mapping
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU212",
    "refused-term",
    "error",
    "A toleration or node affinity term is contradictory, and the API server rejects the pod",
    fix="both",
)

_REQUIRED = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
_SETS, _BARE, _NUMBERS = ("In", "NotIn"), ("Exists", "DoesNotExist"), ("Gt", "Lt")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield violations of Kubernetes' validation of both, beyond their schema."""
    for index, toleration in enumerate(items(pod.spec.get("tolerations"))):
        yield from _toleration(mapping(toleration), pod, index)
    if "affinity" not in pod.spec:
        return
    affinity: Any = pod.spec
    for step in _REQUIRED:
        affinity = mapping(mapping(affinity).get(step))
    for number, term in enumerate(items(affinity.get("nodeSelectorTerms"))):
        for index, row in enumerate(items(mapping(term).get("matchExpressions"))):
            steps = (*_REQUIRED, "nodeSelectorTerms", number, "matchExpressions", index)
            yield from _expression(mapping(row), pod.path(*steps))


def _toleration(toleration: dict[str, Any], pod: Pod, index: int) -> Iterator[RawFinding]:
    key, operator, value = (
        toleration.get("key"),
        toleration.get("operator"),
        toleration.get("value"),
    )
    if operator == "Exists" and isinstance(value, str) and value:
        path = pod.path("tolerations", index, "value")
        yield RawFinding(
            path,
            "`operator: Exists` cannot have a `value`: the API server rejects the pod",
            note=(
                "remove `value`, or write `operator: Equal`: `Exists` matches every value of the "
                "taint"
            ),
            fix=Fix("remove `value`", (Drop(path),)),
        )
    if toleration and not key and operator != "Exists" and isinstance(operator, str | None):
        yield RawFinding(
            pod.path("tolerations", index),
            "a toleration without a `key` needs `operator: Exists`: the API server rejects the pod",
            note="set `key`, or write `operator: Exists`",
        )
    if toleration.get("tolerationSeconds") is not None and toleration.get("effect") in (
        "NoSchedule",
        "PreferNoSchedule",
    ):
        path = pod.path("tolerations", index, "tolerationSeconds")
        yield RawFinding(
            path,
            "`tolerationSeconds` is allowed only with `effect: NoExecute`: the API server "
            "rejects the pod",
            fix=Fix("remove `tolerationSeconds`", (Drop(path),), safe=True),
        )


def _expression(row: dict[str, Any], path: Path) -> Iterator[RawFinding]:
    operator, values = row.get("operator"), row.get("values")
    if values is not None and not isinstance(values, list):
        return
    count = len(values or ())
    if operator in _SETS and not count:
        message = f"`operator: {operator}` needs `values`"
    elif operator in _BARE and count:
        message = f"`operator: {operator}` cannot have `values`"
    elif operator in _NUMBERS and count != 1:
        message = f"`operator: {operator}` needs exactly one value"
    else:
        return
    fix = Fix("remove `values`", (Drop((*path, "values")),)) if operator in _BARE else None
    yield RawFinding(path, f"{message}: the API server rejects the pod", fix=fix)
