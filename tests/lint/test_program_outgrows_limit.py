"""GPU792: beyond what its page shows."""

import pytest
import yaml

from tests.lint.patched import of, said


@pytest.mark.parametrize(
    ("image", "limit", "more", "found"),
    [
        ("nvcr.io/nvidia/k8s/dcgm-exporter:4.5.0-4.8.0-ubuntu24.04", "128Mi", "", True),
        ("nvcr.io/nvidia/k8s/dcgm-exporter:4.5.0-4.8.0-ubuntu24.04", "512Mi", "", False),
        ("nvcr.io/nvidia/k8s/dcgm-exporter:3.3.6-3.4.2-ubuntu22.04", "256Mi", "", False),
        ("nvcr.io/nvidia/k8s/dcgm-exporter:latest", "128Mi", "", False),
        ("nvcr.io/nvidia/k8s/dcgm-exporter:4.5.0", "128Mi", "command: [sleep, inf]", False),
        ("example.com/exporter:4.5.0", "128Mi", "", False),
        ("nvcr.io/nvidia/k8s/dcgm-exporter:4.5.0", "lots", "", False),
    ],
)
def test_by_image_and_release(image: str, limit: str, more: str, *, found: bool) -> None:
    container = {"name": "main", "image": image, "resources": {"limits": {"memory": limit}}}
    container |= yaml.safe_load(more or "{}")
    patch = yaml.safe_dump({"spec": {"template": {"spec": {"containers": [container]}}}})
    assert bool(said("GPU792", "daemonset", patch)) is found


SUBSCRIPTION = """apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: {name: gpus, namespace: operators}
spec:
  name: NAME
  channel: stable
  source: certified-operators
  sourceNamespace: openshift-marketplace
  config: {resources: {limits: {memory: LIMIT}}}
"""


@pytest.mark.parametrize(
    ("name", "limit", "count"),
    [("amd-gpu-operator", "384Mi", 1), ("amd-gpu-operator", "1Gi", 0), ("other", "384Mi", 0)],
)
def test_the_limit_of_a_subscription(name: str, limit: str, count: int) -> None:
    text = SUBSCRIPTION.replace("NAME", name).replace("LIMIT", limit)
    assert len(of("GPU792", text)) == count
