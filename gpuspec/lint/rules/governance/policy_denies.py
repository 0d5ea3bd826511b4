"""An object that a ValidatingAdmissionPolicy of the same set denies."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.values import at, items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.context import Context
    from gpuspec.manifests import Path
    from gpuspec.objects.collection import Collection
    from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU991",
    "policy-denies",
    "warning",
    "A ValidatingAdmissionPolicy of the same files denies the object",
)
_GROUP = "admissionregistration.k8s.io"
_FIELD = re.compile(r"\bobject((?:\.[A-Za-z_]\w*)+)")


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield policies that are bound and asked about an object, and of which a validation is
    false."""
    collection = context.collection
    for binding in collection.of(_GROUP, "ValidatingAdmissionPolicyBinding"):
        policy = collection.named(
            _GROUP, "ValidatingAdmissionPolicy", text(binding.spec.get("policyName"))
        )
        denies = "Deny" in items(binding.spec.get("validationActions"))
        if policy is not None and denies and not policy.spec.get("paramKind"):
            yield from _denied(policy, binding, obj, collection)


def _denied(
    policy: Object, binding: Object, obj: Object, collection: Collection
) -> Iterator[RawFinding]:
    # Few sets have policies, and what evaluates them takes long to import.
    from gpuspec.lint.analysis.reading.policies import PolicyQuestion, is_asked

    namespace = collection.named("", "Namespace", obj.namespace) if obj.namespace else None
    constraints = (policy.spec.get("matchConstraints"), binding.spec.get("matchResources"))
    if not constraints[0] or not all(
        is_asked(mapping(constraint), obj, namespace) for constraint in constraints
    ):
        return
    question = PolicyQuestion(policy, obj, namespace)
    conditions = [text(mapping(row).get("expression")) for row in _rows(policy, "matchConditions")]
    if not all(question.answer(expression) is True for expression in conditions):
        return
    for index, row in enumerate(map(mapping, _rows(policy, "validations"))):
        expression = text(row.get("expression"))
        if question.answer(expression) is False:
            reason = text(row.get("message")).strip().rstrip(".") or f"`{expression}` is false"
            yield RawFinding(
                obj.path(*_field(expression, obj)),
                f"ValidatingAdmissionPolicy `{policy.name}` denies the object: {reason}",
                note=f"satisfy the expression of the policy, or remove its binding `{binding.name}`",
                confidence="likely",
                related=(
                    RelatedPlace(
                        policy.number,
                        policy.path("spec", "validations", index, "expression"),
                        "the policy",
                    ),
                ),
            )
            return


def _rows(policy: Object, field: str) -> list[object]:
    return items(policy.spec.get(field))


def _field(expression: str, obj: Object) -> Path:
    """Return the first field that an expression reads, as far as the object has it."""
    match = _FIELD.search(expression)
    path: Path = tuple(match[1].strip(".").split(".")) if match else ("metadata",)
    while path and at(obj.value, path) is None:
        path = path[:-1]
    return path or ("metadata",)
