"""Fabrics and networks: what is asked for, and what locks memory for it."""

import pytest
import yaml

from tests.lint.edges import Edge, laid, said, spoken

WORKER = """
spec:
  replicatedJobs:
    - name: workers
      template: {spec: {template: {spec: {containers: [{name: main, %s}]}}}}
"""

EDGES = (
    # C-52: fabrics.
    Edge(
        "C-52 off on purpose",
        "jobset",
        WORKER % "env: [{name: NCCL_NET, value: Socket}]",
        (),
        "rdma",
    ),
    Edge("C-52 not asked for", "jobset", WORKER % "stdin: false", ("GPU910 warning",), "rdma"),
    Edge("C-52 nothing known", "jobset", WORKER % "stdin: false"),
    Edge(
        "C-52 by machine",
        "jobset",
        "spec: {replicatedJobs: [{name: workers, template: {spec: {template: {spec: {nodeSelector: "
        "{node.kubernetes.io/instance-type: p5.48xlarge}}}}}}]}",
        ("GPU910 warning",),
    ),
    Edge(
        "C-52 any provider but EFA",
        "jobset",
        WORKER % "env: [{name: FI_PROVIDER, value: tcp}], "
        "resources: {limits: {vpc.amazonaws.com/efa: 32}, requests: {vpc.amazonaws.com/efa: 32}}",
        ("GPU911 warning",),
    ),
    Edge(
        "C-52 wanted pages",
        "jobset",
        WORKER % "resources: {limits: {rdma/hca: 1}, requests: {rdma/hca: 1}}",
        ("GPU913 info",),
        "rdma",
    ),
)


@pytest.mark.parametrize("edge", EDGES, ids=lambda edge: edge.shows)
def test_edges(edge: Edge) -> None:
    assert spoken(edge) == sorted(edge.said)


@pytest.mark.parametrize("root", [True, False])
def test_ipc_lock_is_never_advised_where_it_does_nothing(root: bool) -> None:
    """C-52."""
    security = {"runAsNonRoot": None, "runAsUser": 0} if root else {}
    product = {
        "key": "nvidia.com/gpu.product",
        "operator": "In",
        "values": ["NVIDIA-A100-SXM4-80GB"],
    }
    required = {"nodeSelectorTerms": [{"matchExpressions": [product]}]}
    node = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
    amounts = {"limits": {"rdma/hca": 1}, "requests": {"rdma/hca": 1}}
    change = {
        "securityContext": security,
        "affinity": node,
        "containers": [{"name": "main", "resources": amounts}],
    }
    text = laid("job", yaml.safe_dump({"spec": {"template": {"spec": change}}}))
    (found,) = [one for one in said(text, "rdma") if one.rule == "GPU912"]
    assert found.note
    assert ("also works for this pod" in found.note) is root
    assert ("does not help" in found.note) is not root
