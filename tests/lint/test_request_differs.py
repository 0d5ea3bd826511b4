"""GPU102: resources that no table has, in kinds without a schema."""

import json
from typing import Any

import pytest

from tests.lint.pages import raised


def serving(requests: dict[str, Any], limits: dict[str, Any]) -> dict[str, Any]:
    container = {
        "name": "engine",
        "image": "quay.io/ascend/vllm-ascend:v0.9.1",
        "resources": {"requests": requests, "limits": limits},
    }
    role = {"name": "leader", "entryTemplate": {"spec": {"containers": [container]}}}
    return {
        "apiVersion": "workload.serving.volcano.sh/v1alpha1",
        "kind": "ModelServing",
        "metadata": {"name": "qwen", "namespace": "serving"},
        "spec": {"replicas": 1, "template": {"roles": [role]}},
    }


@pytest.mark.parametrize(
    ("requests", "limits", "number"),
    [
        ({"huawei.com/ascend-1980": 6}, {"huawei.com/ascend-1980": 8}, 1),
        ({"huawei.com/ascend-1980": 8}, {"huawei.com/ascend-1980": "8"}, 0),
        ({"huawei.com/ascend-1980": 8}, {"memory": "8Gi"}, 1),
        ({}, {"huawei.com/ascend-1980": 8}, 0),
        ({"rdma/hca_shared_devices_a": 1}, {"rdma/hca_shared_devices_a": 2}, 1),
        ({"nvidia.com/gpu": 1}, {"nvidia.com/gpu": 2}, 1),
        ({"cpu": "1", "memory": "1Gi"}, {"cpu": "2", "memory": "2Gi"}, 0),
        ({"example.kubernetes.io/thing": 1}, {"example.kubernetes.io/thing": 2}, 0),
        ({"example.com/chip": "$(CHIPS)"}, {"example.com/chip": 2}, 0),
    ],
)
def test_a_resource_that_no_table_has(
    requests: dict[str, Any], limits: dict[str, Any], number: int
) -> None:
    found = [
        one for one in raised(json.dumps(serving(requests, limits))) if one.rule.code == "GPU102"
    ]
    assert len(found) == number
