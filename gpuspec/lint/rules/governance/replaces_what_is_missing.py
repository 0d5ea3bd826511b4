"""A policy whose JSON patch replaces a field that new pods do not have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests import InputError, Path, read
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU866",
    "replaces-what-is-missing",
    "warning",
    "A policy's patch replaces a field that new pods do not have",
)
_ABSENT = frozenset(
    {
        *("activeDeadlineSeconds", "affinity", "hostNetwork", "nodeSelector", "priorityClassName"),
        *("resourceClaims", "runtimeClassName", "schedulingGates", "topologySpreadConstraints"),
    }
)
"""Fields of a pod's spec that are there only where somebody wrote them: nothing fills them in."""
_PRIORITY = "priorityClassName"
_LONGEST = 100_000
_PATCH = re.compile(r"JSONPatch\s*\{([^{}]{0,2000})\}")
_OPERATION = re.compile(r"\bop\s*:\s*[\"']([a-z]+)[\"']")
_POINTER = re.compile(r"\bpath\s*:\s*[\"']([^\"']+)[\"']")


class _Step(NamedTuple):
    op: str
    pointer: str
    path: Path
    """From the object."""
    inside: Path | None = None


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield policies of Kyverno, and those that the API server itself carries out."""
    if obj.group == "kyverno.io":
        failing_steps, ends = _kyverno(obj), "Kyverno reports an error and leaves the pod unchanged"
    else:
        failing_steps = _expressions(obj)
        open_ = obj.spec.get("failurePolicy") == "Ignore"
        ends = "the pod stays unchanged" if open_ else "the pod is rejected"
    for step, field in failing_steps:
        if field == _PRIORITY and _has_default(context):
            continue
        yield RawFinding(
            obj.path(*step.path),
            f"`op: replace` needs an existing `{step.pointer}`, but new pods have no `{field}` "
            f"unless their manifest sets it: the patch fails, and {ends}",
            note="write `op: add`, which works in either case",
            confidence="likely",
            inside=step.inside,
        )


def _has_default(context: Context) -> bool:
    """Return whether every pod gets a class, as far as is here."""
    classes = context.collection.of("scheduling.k8s.io", "PriorityClass")
    return any(class_.value.get("globalDefault") is True for class_ in classes)


def _failing(steps: list[_Step], conditions: str) -> Iterator[tuple[_Step, str]]:
    """Yield steps that replace such a field; `conditions` is the text in which a policy may test
    for it first."""
    added_fields: set[str] = set()
    for step in steps:
        parts = step.pointer.split("/")
        field = parts[2] if len(parts) > 2 and parts[:2] == ["", "spec"] else ""
        if step.op == "add":
            added_fields.add(field)
        elif step.op == "replace" and field in _ABSENT - added_fields and field not in conditions:
            yield step, field


def _kyverno(obj: Object) -> Iterator[tuple[_Step, str]]:
    for index, rule in enumerate(map(mapping, items(obj.spec.get("rules")))):
        patch = mapping(rule.get("mutate")).get("patchesJson6902")
        if not isinstance(patch, str) or len(patch) > _LONGEST or not _is_for_new_pods(rule):
            continue
        path = ("spec", "rules", index, "mutate", "patchesJson6902")
        try:
            documents = read(patch, "patch.yaml")
        except (InputError, ValueError):
            continue
        steps = [
            _Step(text(patch.get("op")), text(patch.get("path")), path, (number, "op"))
            for number, patch in enumerate(
                map(mapping, items(documents[0].value if documents else None))
            )
        ]
        others = {key: value for key, value in rule.items() if key != "mutate"}
        yield from _failing(steps, _as_text(others))


def _is_for_new_pods(rule: dict[str, Any]) -> bool:
    match = mapping(rule.get("match"))
    filters = [match, *map(mapping, (*items(match.get("any")), *items(match.get("all"))))]
    for filter_entry in filters:
        resources = mapping(filter_entry.get("resources"))
        kinds = [text(kind).rpartition("/")[2] for kind in items(resources.get("kinds"))]
        operations = items(resources.get("operations"))
        if "Pod" in kinds and (not operations or "CREATE" in operations):
            return True
    return False


def _expressions(obj: Object) -> Iterator[tuple[_Step, str]]:
    rules = map(mapping, items(mapping(obj.spec.get("matchConstraints")).get("resourceRules")))
    if not any(
        "pods" in items(rule.get("resources"))
        and not {"CREATE", "*"}.isdisjoint(map(str, items(rule.get("operations"))))
        for rule in rules
    ):
        return
    others = {key: value for key, value in obj.spec.items() if key != "mutations"}
    for index, mutation in enumerate(map(mapping, items(obj.spec.get("mutations")))):
        expression = mapping(mutation.get("jsonPatch")).get("expression")
        if not isinstance(expression, str) or len(expression) > _LONGEST:
            continue
        path = ("spec", "mutations", index, "jsonPatch", "expression")
        steps = []
        for match in _PATCH.finditer(expression):
            op, pointer = _OPERATION.search(match[1]), _POINTER.search(match[1])
            if op is not None and pointer is not None:
                steps.append(_Step(op[1], pointer[1], path))
        rest = _PATCH.sub("", expression)
        yield from _failing(steps, f"{_as_text(others)} {rest}")


def _as_text(value: object) -> str:
    return msgspec.json.encode(value, enc_hook=str).decode()
