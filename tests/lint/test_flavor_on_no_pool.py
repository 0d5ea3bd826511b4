"""GPU962: labels of flavors against the pools of a profile."""

from gpuspec.lint.model import Finding
from tests.lint.pages import raised

FLAVORS = """apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: gpus}
spec:
  nodeLabels: {LABELS}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: research}
spec:
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [RESOURCE]
      flavors:
        - name: gpus
          resources:
            - {name: RESOURCE, nominalQuota: QUOTA}
"""


def said(labels: str, *, resource: str = "nvidia.com/gpu", quota: str = "8") -> list[Finding]:
    text = FLAVORS.replace("LABELS", labels).replace("RESOURCE", resource)
    raises = raised(text.replace("QUOTA", quota), profile="h100")
    return [one.finding() for one in raises if one.rule.code == "GPU962"]


def test_a_label_that_the_pools_have_with_another_value() -> None:
    (finding,) = said("example.com/pool: a100")
    assert finding.path == 'spec.nodeLabels["example.com/pool"]'
    assert "write `h100`" in str(finding.note)


def test_a_label_that_no_labeller_sets() -> None:
    (finding,) = said("example.com/rack: r1")
    assert "example.com/pool: h100" in str(finding.note)


def test_labels_of_the_pools_and_of_labellers() -> None:
    assert not said("example.com/pool: h100")
    assert not said("nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3")
    assert not said("nvidia.com/gpu.present: 'true'")


def test_a_flavor_without_accelerators_may_be_of_other_nodes() -> None:
    assert not said("example.com/pool: cpu", resource="cpu")
    assert not said("example.com/pool: cpu", quota="0")
