"""GPU017 and others: a fault that the API server refuses in a pod is found in the pods of every custom
kind, at its place."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
import yaml

from gpuspec.manifests import Path
from gpuspec.manifests.values import at
from gpuspec.objects.objects import Object
from gpuspec.validation import newest
from gpuspec.validation.bundle import load
from tests.lint.pages import HERE, raised

TOLERATION = {"key": "a", "operator": "Exists", "effect": "NoSchedule", "tolerationSeconds": 5}
TERM = {"labelSelector": {"matchLabels": {"a": "b"}}, "topologyKey": ""}
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
IN_PODS: dict[str, dict[str, Any]] = {
    "toleration-seconds": {"tolerations": [TOLERATION]},
    "no-topology": {"affinity": {"podAntiAffinity": {REQUIRED: [TERM]}}},
    "two-sources": {"volumes": [{"name": "z", "emptyDir": {}, "hostPath": {"path": "/a"}}]},
    "alias": {"hostAliases": [{"ip": "10.0.0", "hostnames": ["a"]}]},
}
"""Faults of a pod, as fields in place of its own."""
IN_CONTAINERS: dict[str, dict[str, Any]] = {
    "limit-below-request": {
        "resources": {"limits": {"memory": "1Gi"}, "requests": {"memory": "2Gi"}}
    },
    "name-of-variable": {"env": [{"name": "A=B", "value": "c"}]},
    "two-values": {
        "env": [
            {"name": "A", "value": "c", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}
        ]
    },
    "two-handlers": {"livenessProbe": {"tcpSocket": {"port": 1}, "exec": {"command": ["a"]}}},
    "high-port": {"ports": [{"containerPort": 70000, "protocol": "TCP"}]},
    "two-subpaths": {
        "volumeMounts": [{"name": "z", "mountPath": "/z", "subPath": "a", "subPathExpr": "b"}]
    },
}
ADDED = {"undeclared": {"volumeMounts": [{"name": "no-such", "mountPath": "/no-such"}]}}
"""A fault that an operator could make up for."""
COMPLETED = ("inferenceservice", "llminferenceservice", "trainingruntime", "dynamographdeployment")
WHOLE = (
    *("pytorchjob", "tfjob", "jaxjob", "mpijob", "raycluster", "rayservice", "rayjob", "jobset"),
    *("leaderworkerset", "scaledjob", "knative-service"),
)


def bases() -> Iterator[tuple[str, dict[str, Any]]]:
    for file in sorted((HERE / "bases").glob("*.yaml")):
        value = next(yaml.safe_load_all(file.read_text()))
        obj = Object(value)
        if obj.pods and (obj.api_version, obj.kind) not in load(newest()):
            yield file.stem, value


BASES = dict(bases())


def planted(base: str, fault: dict[str, Any], *, in_container: bool) -> Iterator[tuple[Any, Path]]:
    """The object with a fault in its first pod, with the place of the pod or of its container; none if
    the pod has another form there."""
    value = deepcopy(BASES[base])
    pod = Object(value).pods[0]
    containers = [one for one in pod.every if one.path() != pod.base]
    if not containers or pod.object.traits.argo:
        return
    place = containers[0].path() if in_container else pod.base
    at(value, place).update(deepcopy(fault))
    yield value, place


def places(value: Any) -> list[Path]:
    return [
        one.found.path
        for one in raised(yaml.safe_dump(value, sort_keys=False))
        if one.finding().severity != "info"
    ]


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("fault", [*IN_PODS, *IN_CONTAINERS])
def test_a_fault_in_the_pods_of_every_kind(base: str, fault: str) -> None:
    in_container = fault in IN_CONTAINERS
    field = (IN_CONTAINERS if in_container else IN_PODS)[fault]
    for value, place in planted(base, field, in_container=in_container):
        inside = (*place, *field)
        assert any(path[: len(inside)] == inside for path in places(value))


@pytest.mark.parametrize("base", WHOLE)
def test_a_volume_that_no_controller_adds(base: str) -> None:
    ((value, _),) = planted(base, ADDED["undeclared"], in_container=True)
    found = [one.finding() for one in raised(yaml.safe_dump(value, sort_keys=False))]
    (finding,) = [one for one in found if "no volume `no-such`" in one.message]
    assert (finding.rule, finding.severity, finding.confidence) == ("GPU017", "error", "certain")
    assert f"rejects the pods created from the `{value['kind']}`" in finding.message


@pytest.mark.parametrize("base", COMPLETED)
def test_a_volume_that_another_object_may_add(base: str) -> None:
    ((value, _),) = planted(base, ADDED["undeclared"], in_container=True)
    assert "no-such" not in str([one.finding().message for one in raised(yaml.safe_dump(value))])


@pytest.mark.parametrize(
    ("patch", "field"),
    [
        ({"completions": None}, "completions"),
        ({"backoffLimit": -1}, "backoffLimit"),
        ({"ttlSecondsAfterFinished": -1}, "ttlSecondsAfterFinished"),
    ],
)
def test_a_job_that_cannot_be_created(patch: dict[str, Any], field: str) -> None:
    value = deepcopy(BASES["jobset"])
    value["spec"]["replicatedJobs"][0]["template"]["spec"].update(patch)
    found = [one.finding() for one in raised(yaml.safe_dump(value))]
    (finding,) = [one for one in found if one.rule == "GPU017"]
    assert f"`{field}`" in finding.message
    assert "rejects the Jobs created from the `JobSet`" in finding.message
