"""Pods within objects: what is refused with the object, what only when its pods are made, and whether
the linter draws its lines where the server does."""

from typing import Any

import pytest
import yaml

from tests.control_plane.client import Client, Object, Ref, until
from tests.control_plane.refusals import Refused, manifests, outcomes
from tests.control_plane.sending import documents, pods
from tests.control_plane.verdicts import SPACE, judge, refused_by
from tests.lint.pages import HERE, Block, merge, raised

pytestmark = pytest.mark.control_plane

DEPLOYMENT, STATEFUL_SET = ("apps/v1", "Deployment"), ("apps/v1", "StatefulSet")
JOB, CRON_JOB = ("batch/v1", "Job"), ("batch/v1", "CronJob")
OF_PODS = ("GPU101", "GPU102", "GPU103", "GPU104", "GPU212", "GPU511", "GPU913")


def the_pod(block: Block) -> Object:
    """The spec of a manifest's first pod."""
    objects = [one.object for one in documents(block.text)]
    found = [one for one in objects if one["kind"] == "Pod"]
    found += [pod for one in objects if one["kind"] != "Pod" for pod in pods(one, SPACE)]
    spec: Object = found[0]["spec"]
    return spec


def carrier(kind: tuple[str, str], spec: Object) -> Object:
    """An object of one of Kubernetes' own kinds, whose template is this pod."""
    runs_on = kind in (DEPLOYMENT, STATEFUL_SET)
    labels = {"app": "x"}
    template = {
        "metadata": {"labels": labels},
        "spec": spec | {"restartPolicy": "Always" if runs_on else "Never"},
    }
    own: Object = {"template": template}
    if runs_on:
        own["selector"] = {"matchLabels": labels}
    if kind == CRON_JOB:
        own = {"schedule": "0 3 * * *", "jobTemplate": {"spec": own}}
    meta = {"name": "x", "namespace": SPACE}
    return {"apiVersion": kind[0], "kind": kind[1], "metadata": meta, "spec": own}


@pytest.mark.parametrize(
    "kind", [DEPLOYMENT, STATEFUL_SET, JOB, CRON_JOB], ids=lambda kind: kind[1]
)
@pytest.mark.parametrize("code", OF_PODS)
def test_what_a_pod_is_refused_for_its_template_is_too(
    client: Client, code: str, kind: tuple[str, str]
) -> None:
    """The object itself is refused, not only the pods that would be made of it."""
    for told, block in zip(outcomes(code), manifests(code, "Wrong"), strict=True):
        verdicts = judge(client, yaml.safe_dump(carrier(kind, the_pod(block))))
        by = told.by if isinstance(told, Refused) else None
        assert refused_by(verdicts) == by, list(map(str, verdicts))


def heard(client: Client, space: str) -> str:
    """What the controllers of a namespace say of pods that they could not make."""
    events = client.objects(Ref("v1", "Event", namespace=space))
    return "\n".join(e["message"] for e in events if e["reason"] == "FailedCreate")


def create_in(client: Client, space: str, value: Object) -> None:
    value["metadata"]["namespace"] = space
    client.create(value)


def test_pod_security_lets_a_deployment_be_made_and_refuses_its_pods(
    client: Client, namespace: Any
) -> None:
    """As the pages of GPU601 and GPU602 say."""
    space = namespace()
    (_, block) = manifests("GPU602", "Wrong")
    create_in(client, space, carrier(DEPLOYMENT, the_pod(block)))
    refusal = 'violates PodSecurity "restricted:latest"'
    until(lambda: refusal in heard(client, space), "the Deployment's controller says why")
    assert client.objects(Ref("v1", "Pod", namespace=space)) == []


def test_a_quota_lets_a_job_be_made_and_refuses_its_pods(client: Client, namespace: Any) -> None:
    """As the page of GPU107 says."""
    space = namespace()
    (block,) = manifests("GPU107", "Wrong")
    (quota,) = (d.object for d in documents(block.text) if d.object["kind"] == "ResourceQuota")
    create_in(client, space, quota)
    ref = Ref.of(quota)
    until(lambda: client.get(ref).get("status", {}).get("hard"), "the quota is counted")
    create_in(client, space, carrier(JOB, the_pod(block)))
    until(lambda: "must specify requests.cpu" in heard(client, space), "the Job says why")
    assert client.objects(Ref("v1", "Pod", namespace=space)) == []


def named(base: str, lengths: tuple[int, int]) -> list[object]:
    """A manifest whose name is just short enough, and one whose name is just too long."""
    return [
        pytest.param(base, {"metadata": {"name": "a" * length}}, id=f"{base}-{length}")
        for length in lengths
    ]


def slept(seconds: int) -> Object:
    """A pod that sleeps before it ends, with a grace period of two minutes."""
    container = {"name": "main", "lifecycle": {"preStop": {"sleep": {"seconds": seconds}}}}
    return {"spec": {"terminationGracePeriodSeconds": 120, "containers": [container]}}


@pytest.mark.parametrize(
    ("base", "patch"),
    [
        *named("job", (63, 64)),
        *named("indexed-job", (61, 62)),
        *named("cronjob", (52, 53)),
        *(pytest.param("pod", slept(n), id=f"sleep-{n}") for n in (119, 120, 121)),
    ],
)
def test_the_linter_draws_the_line_where_the_server_does(
    client: Client, base: str, patch: Object
) -> None:
    first, *_ = yaml.safe_load_all((HERE / "bases" / f"{base}.yaml").read_text())
    text = yaml.safe_dump(merge(first, patch))
    errors = [one.finding() for one in raised(text) if one.finding().severity == "error"]
    assert bool(errors) == bool(judge(client, text))
