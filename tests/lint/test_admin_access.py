"""GPU953: what its page does not show."""

import pytest

from tests.lint.patched import of

LABEL = "resource.kubernetes.io/admin-access"
CLAIM = """\
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata: {name: all, namespace: monitoring}
spec:
  devices:
    requests: [{name: gpus, deviceClassName: gpu.nvidia.com, adminAccess: ACCESS}]
"""
NAMESPACE = """\
---
apiVersion: v1
kind: Namespace
metadata: {name: NAME, labels: {LABELS}}
"""


@pytest.mark.parametrize(
    ("access", "name", "labels", "count"),
    [
        ("true", "monitoring", "", 1),
        ("true", "monitoring", f'{LABEL}: "True"', 1),
        ("true", "monitoring", f'{LABEL}: "true"', 0),
        # The label of the release that serves only v1beta1 and v1beta2.
        ("true", "monitoring", 'resource.k8s.io/admin-access: "true"', 0),
        ("false", "monitoring", "", 0),
        ("true", "other", "", 0),
    ],
)
def test_the_label_of_the_namespace_decides(
    access: str, name: str, labels: str, count: int
) -> None:
    namespace = NAMESPACE.replace("NAME", name).replace("LABELS", labels)
    found = of("GPU953", CLAIM.replace("ACCESS", access) + namespace)
    assert [finding.severity for finding in found] == ["warning"] * count
