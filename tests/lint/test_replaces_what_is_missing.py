"""GPU866: patches that replace what new pods have not, by either kind of policy."""

from typing import Any

import pytest

from gpuspec.lint.model import Finding
from tests.lint.patched import of
from tests.lint.plain import an, text

Object = dict[str, Any]


def kyverno(patch: str, **rule: Any) -> Object:
    match = {"any": [{"resources": {"kinds": ["Pod"]}}]}
    rules = [{"name": "r", "match": match, "mutate": {"patchesJson6902": patch}, **rule}]
    return an("kyverno.io/v1", "ClusterPolicy", spec={"rules": rules})


def step(path: str, op: str = "replace") -> str:
    return f"- op: {op}\n  path: {path}\n  value: x\n"


def admission(expression: str, group: str = "admissionregistration.k8s.io", **spec: Any) -> Object:
    rule = {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "resources": ["pods"],
        "operations": ["CREATE"],
    }
    kind = "MutatingAdmissionPolicy" if group.startswith("admission") else "MutatingPolicy"
    mutations = [{"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}]
    made = {"matchConstraints": {"resourceRules": [rule]}, "mutations": mutations, **spec}
    return an(f"{group}/v1", kind, spec=made)


def findings(*objects: Object) -> list[Finding]:
    return of("GPU866", text(*objects))


@pytest.mark.parametrize(
    "path", ["/spec/priorityClassName", "/spec/runtimeClassName", "/spec/nodeSelector/pool"]
)
def test_what_nothing_fills_in_cannot_be_replaced(path: str) -> None:
    (found,) = findings(kyverno(step("/spec/schedulerName") + step(path)))
    assert path in found.message
    assert found.severity == "warning"


@pytest.mark.parametrize(
    "patch",
    [
        step("/spec/priorityClassName", "add"),
        step("/spec/priorityClassName", "remove"),
        step("/spec/schedulerName"),
        step("/metadata/labels/team"),
        step("/spec/nodeSelector", "add") + step("/spec/nodeSelector/pool"),
        "- [",
        "",
    ],
)
def test_what_is_there_or_is_added_can(patch: str) -> None:
    assert findings(kyverno(patch)) == []


@pytest.mark.parametrize(
    "rule",
    [
        {"match": {"any": [{"resources": {"kinds": ["Deployment"]}}]}},
        {"match": {"any": [{"resources": {"kinds": ["Pod"], "operations": ["UPDATE"]}}]}},
        {"preconditions": {"all": [{"key": "{{ request.object.spec.priorityClassName || '' }}"}]}},
    ],
)
def test_who_asks_for_it_first_or_means_others_is_not_told(rule: Object) -> None:
    assert findings(kyverno(step("/spec/priorityClassName"), **rule)) == []


def test_a_class_that_all_pods_get_is_there() -> None:
    default = an("scheduling.k8s.io/v1", "PriorityClass", value=1, globalDefault=True)
    assert findings(kyverno(step("/spec/priorityClassName")), default) == []
    assert len(findings(kyverno(step("/spec/runtimeClassName")), default)) == 1


REPLACE = '[JSONPatch{op: "replace", path: "/spec/priorityClassName", value: "gpu"}]'


@pytest.mark.parametrize("group", ["admissionregistration.k8s.io", "policies.kyverno.io"])
def test_an_expression_is_read_too(group: str) -> None:
    (found,) = findings(admission(REPLACE, group))
    assert "the pod is rejected" in found.message
    (found,) = findings(admission(REPLACE, group, failurePolicy="Ignore"))
    assert "the pod stays unchanged" in found.message


@pytest.mark.parametrize(
    "expression",
    [
        REPLACE.replace("replace", "add"),
        f"has(object.spec.priorityClassName) ? {REPLACE} : []",
        '[JSONPatch{op: "replace", path: "/spec/containers/0/image", value: "a"}]',
    ],
)
def test_an_expression_that_asks_first_or_adds_is_not_told(expression: str) -> None:
    assert findings(admission(expression)) == []


def test_a_condition_of_the_policy_may_ask_too() -> None:
    asked = [{"name": "there", "expression": "has(object.spec.priorityClassName)"}]
    assert findings(admission(REPLACE, matchConditions=asked)) == []
