"""GPU422: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: ranks}
spec:
  nodeSelector: {SELECTOR}
  containers:
    - name: main
      image: example.com/train:1
      resources: {limits: {nvidia.com/gpu: 8, vpc.amazonaws.com/efa: COUNT}}
"""
PLUGIN = """\
apiVersion: v1
kind: Pod
metadata: {name: plugin}
spec:
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
          - matchExpressions:
              - {key: node.kubernetes.io/instance-type, operator: In, values: [TYPES]}
  containers:
    - {name: plugin, image: "public.ecr.aws/eks/aws-efa-k8s-device-plugin:v0.5.10"}
"""


def said(text: str) -> list[str]:
    return [one.finding().message for one in raised(text) if one.rule.code == "GPU422"]


@pytest.mark.parametrize(
    ("selector", "count", "words"),
    [
        ("node.kubernetes.io/instance-type: p5en.48xlarge", 32, "has at most 16"),
        ("node.kubernetes.io/instance-type: p5.48xlarge", 32, None),
        ("node.kubernetes.io/instance-type: p5.96xlarge", 64, None),
        ("karpenter.k8s.aws/instance-family: g4ad", 1, "has none"),
        ("karpenter.k8s.aws/instance-family: g6e", 4, None),
        ("karpenter.k8s.aws/instance-family: g6e", 0, None),
        ("example.com/pool: efa", 32, None),
    ],
)
def test_more_than_any_machine_has(selector: str, count: int, words: str | None) -> None:
    found = said(POD.replace("SELECTOR", selector).replace("COUNT", str(count)))
    assert len(found) == (words is not None)
    assert words is None or words in found[0]


def test_the_plugin_names_those_alone_that_have_none() -> None:
    (found,) = said(PLUGIN.replace("TYPES", "p5.48xlarge, g6.xlarge, g5.2xlarge, hpc7a.96xlarge"))
    assert found.startswith("`g6.xlarge`, `g5.2xlarge` have no EFA")


@pytest.mark.parametrize("types", ["p5.48xlarge, g5.8xlarge", "hpc7a.96xlarge, c5n.18xlarge"])
def test_the_plugin_where_all_have_it_or_are_not_known(types: str) -> None:
    assert said(PLUGIN.replace("TYPES", types)) == []


def test_another_daemon_may_run_anywhere() -> None:
    assert said(PLUGIN.replace("TYPES", "g6.xlarge").replace("aws-efa-k8s", "other")) == []
