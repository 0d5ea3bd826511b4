"""GPU920: which VerticalPodAutoscalers evict pods with GPUs, beyond what its page shows."""

from pathlib import Path

import pytest

from tests.lint.pages import raised

SERVER = (Path(__file__).parent / "bases/deployment.yaml").read_text()
SCALER = """---
apiVersion: autoscaling.k8s.io/v1
kind: VerticalPodAutoscaler
metadata: {name: chat, namespace: serving}
spec:
  targetRef: {apiVersion: apps/v1, kind: Deployment, name: chat}
"""


def said(spec: str = "", server: str = SERVER) -> list[str]:
    found = raised(f"{server}{SCALER}{spec}")
    return [one.found.message for one in found if one.rule.code == "GPU920"]


def test_it_evicts_when_nothing_is_said_of_how() -> None:
    assert said() == [
        (
            "the VerticalPodAutoscaler evicts a GPU pod of Deployment `chat` at each new "
            "recommendation, and the pod has to load its model again"
        )
    ]


def test_one_pod_alone_is_evicted_only_where_one_alive_is_enough() -> None:
    one = SERVER.replace("replicas: 2", "replicas: 1")
    assert said(server=one) == []
    assert len(said("  updatePolicy: {minReplicas: 1}\n", one)) == 1


@pytest.mark.parametrize("mode", ["'Off'", "Initial", "InPlaceOrRecreate"])
def test_other_modes_evict_none_at_once(mode: str) -> None:
    assert said(f"  updatePolicy: {{updateMode: {mode}}}\n") == []


def test_containers_that_are_not_sized_are_no_reason() -> None:
    policy = "  resourcePolicy: {{containerPolicies: [{{containerName: '{}', mode: 'Off'}}]}}\n"
    assert said(policy.format("*")) == []
    assert len(said(policy.format("another"))) == 1


def test_a_device_is_not_sized() -> None:
    assert said(
        "  updatePolicy: {updateMode: 'Off'}\n"
        "  resourcePolicy:\n"
        "    containerPolicies:\n"
        "      - containerName: '*'\n"
        "        controlledResources: [cpu, nvidia.com/gpu]\n"
        "        maxAllowed: {cpu: '8', nvidia.com/gpu: '2'}\n"
    ) == [
        "a VerticalPodAutoscaler does not size `nvidia.com/gpu`: it recommends only CPU and memory",
        "a VerticalPodAutoscaler does not size `nvidia.com/gpu`: it recommends only CPU and memory",
    ]


def test_one_of_another_namespace_is_another_one() -> None:
    assert said(server=SERVER.replace("namespace: serving", "namespace: other")) == []
