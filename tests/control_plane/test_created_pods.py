"""Faults in the pods of custom objects: the API server stores the object, and rejects the pods that its
operator creates, as GPU017 says."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
import yaml

from gpuspec.objects.objects import Object as Linted
from tests.control_plane.client import Object, Ref, until
from tests.control_plane.cluster import ControlPlane
from tests.control_plane.namespaces import restricted
from tests.lint.pages import HERE, raised

pytestmark = pytest.mark.control_plane
KINDS = ("jobset", "leaderworkerset", "pytorchjob", "tfjob", "mpijob", "raycluster")
UNDECLARED = {"volumeMounts": [{"name": "no-such", "mountPath": "/no-such"}]}
ABOVE = {"resources": {"requests": {"memory": "2Gi"}, "limits": {"memory": "1Gi"}}}
HANDLERS = {"livenessProbe": {"tcpSocket": {"port": 1}, "exec": {"command": ["true"]}}}


def planted(base: str, fault: Object) -> Object:
    """A clean object without a queue, with a fault in each of its pods' containers."""
    value: Any = yaml.safe_load((HERE / "bases" / f"{base}.yaml").read_text())
    value["metadata"].pop("labels", None)
    for pod in Linted(value).pods:
        pod.containers[0].value.update(deepcopy(fault))
    return value


@pytest.mark.parametrize("base", KINDS)
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (UNDECLARED, "Not found"),
        (ABOVE, "must be less than or equal to memory limit"),
        (HANDLERS, "may not specify more than 1 handler type"),
    ],
    ids=["mount", "limit", "handlers"],
)
def test_the_object_is_stored_and_its_pods_are_rejected(
    training_plane: ControlPlane, base: str, fault: Object, said: str
) -> None:
    value = planted(base, fault)
    found = [one.finding() for one in raised(yaml.safe_dump(value))]
    assert [one.severity for one in found if "rejects the pods created" in one.message]
    client = training_plane.client()
    space = restricted(client, f"created-{base}-{'-'.join(fault).lower()}")
    value["metadata"]["namespace"] = space
    client.create(value)

    def refused() -> bool:
        events = client.objects(Ref("v1", "Event", namespace=space))
        return any(said in each["message"] for each in events)

    until(refused, "an event quotes the API server")
    assert client.objects(Ref("v1", "Pod", namespace=space)) == []


@pytest.mark.parametrize(
    ("patch", "said"),
    [
        ({"completions": None, "parallelism": 2}, "spec.completions: Required value"),
        ({"backoffLimit": -1}, "spec.backoffLimit: Invalid value"),
        ({"ttlSecondsAfterFinished": -1}, "spec.ttlSecondsAfterFinished: Invalid value"),
    ],
    ids=["completions", "backoff", "ttl"],
)
def test_a_jobset_is_stored_and_its_jobs_are_rejected(
    training_plane: ControlPlane, patch: Object, said: str
) -> None:
    value = planted("jobset", {})
    job = value["spec"]["replicatedJobs"][0]["template"]["spec"]
    job.update(patch)
    found = [one.finding() for one in raised(yaml.safe_dump(value))]
    assert [one.severity for one in found if "rejects the Jobs created" in one.message] == ["error"]
    client = training_plane.client()
    space = restricted(client, f"jobs-{next(iter(patch)).lower()}")
    value["metadata"]["namespace"] = space
    client.create(value)

    def refused() -> bool:
        events = client.objects(Ref("v1", "Event", namespace=space))
        return any(said in each["message"] for each in events)

    until(refused, "an event quotes the API server")
