"""GPU010, GPU011, GPU017: pods in objects of a kind without a schema."""

import pytest

from tests.lint.pages import raised

SERVER = """\
apiVersion: example.com/v1
kind: Server
metadata: {name: chat, namespace: serving}
spec: {replicas: 1, template: {spec: SPEC}}
"""
DYNAMO = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: serving}
spec: {services: {Worker: {extraPodSpec: SPEC}}}
"""
WORKFLOW = """\
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: train, namespace: ml}
spec: {entrypoint: train, templates: [SPEC]}
"""


def faults(text: str, spec: str) -> list[tuple[str, str]]:
    """The code and the last field of each fault."""
    found = [one for one in raised(text.replace("SPEC", spec)) if one.rule.code[:5] == "GPU01"]
    assert {one.finding().severity for one in found} <= {"warning"}
    return [(one.rule.code, str(one.found.path[-1])) for one in found]


@pytest.mark.parametrize(
    ("text", "spec", "expected"),
    [
        (SERVER, "{toleration: [], containers: [{image: a/b:1}]}", [("GPU010", "toleration")]),
        (
            SERVER,
            "{containers: [{image: a/b:1, env: [{name: MODE, value: 1}]}]}",
            [("GPU011", "value")],
        ),
        (
            SERVER,
            "{containers: [{image: a/b:1, resources: {limits: {memory: 48GiB}}}]}",
            [("GPU017", "memory")],
        ),
        (
            WORKFLOW,
            "{name: train, container: {image: a/b:1, env: [{name: MODE, value: 1}]}}",
            [("GPU011", "value")],
        ),
    ],
)
def test_a_fault_of_the_pod(text: str, spec: str, expected: list[tuple[str, str]]) -> None:
    assert faults(text, spec) == expected


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        # Fields and volumes that an operator may have of its own.
        (
            SERVER,
            "{sharedMemory: 8Gi, containers: [{image: a/b:1, volumeMounts: [{name: w, mountPath: /w}]}]}",
        ),
        (SERVER, "{containers: [{image: a/b:1}], initContainers: null}"),
        (DYNAMO, "{mainContainer: {}}"),
        (WORKFLOW, "{name: train, activeDeadlineSeconds: '60', container: {image: a/b:1}}"),
        (WORKFLOW, "{name: train, script: {image: a/b:1, source: train}}"),
    ],
)
def test_what_an_operator_may_take(text: str, spec: str) -> None:
    assert not faults(text, spec)


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ("{mainContainer: {volumeMount: []}}", "volumeMount"),
        ("{toleration: [], mainContainer: {image: a/b:1}}", "toleration"),
    ],
)
def test_of_a_kind_with_a_schema_it_is_an_error(spec: str, field: str) -> None:
    (found,) = [one for one in raised(DYNAMO.replace("SPEC", spec)) if one.rule.code == "GPU010"]
    assert (found.finding().severity, found.found.path[-1]) == ("error", field)
