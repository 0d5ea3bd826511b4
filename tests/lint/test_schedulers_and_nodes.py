"""What schedulers and autoscalers do with settings, beyond the rules' pages."""

import pytest

from tests.lint.pages import raised

OBJECT = """\
apiVersion: {api}
kind: {kind}
metadata: {{name: gpu, annotations: {{{annotations}}}}}
spec: {{{spec}}}
"""


def said(rule: str, text: str) -> list[str]:
    return [one.finding().message for one in raised(text) if one.finding().rule == rule]


def of(api: str, kind: str, spec: str, annotations: str = "") -> str:
    return OBJECT.format(api=api, kind=kind, spec=spec, annotations=annotations)


NODES = ("karpenter.k8s.aws/v1", "EC2NodeClass")

GROUP = ("cluster.x-k8s.io/v1beta1", "MachineDeployment", "clusterName: c")
SIZE = "cluster.x-k8s.io/cluster-api-autoscaler-node-group"
CAPACITY = "capacity.cluster-autoscaler.kubernetes.io"


@pytest.mark.parametrize(
    ("rule", "annotations", "words"),
    [
        ("GPU707", f'{SIZE}-min-size: "1"', "does not scale the group"),
        ("GPU707", f'{CAPACITY}/gpu-count: "2"', "counts no GPU"),
        (
            "GPU706",
            f"{CAPACITY}/gpu-count: two, {CAPACITY}/dra-driver: gpu.nvidia.com",
            "does not accept `two`",
        ),
        ("GPU707", f'{CAPACITY}/cpu: "16"', "from zero"),
    ],
)
def test_groups_of_machines_that_the_autoscaler_does_not_scale(
    rule: str, annotations: str, words: str
) -> None:
    (message,) = said(rule, of(*GROUP, annotations=annotations))
    assert words in message
    whole = (
        f'{SIZE}-min-size: "0", {SIZE}-max-size: "4", {CAPACITY}/cpu: "16", '
        f'{CAPACITY}/memory: 128G, {CAPACITY}/gpu-type: nvidia.com/gpu, {CAPACITY}/gpu-count: "2"'
    )
    assert said(rule, of(*GROUP, annotations=whole)) == []


POOL = """\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {{name: {name}}}
spec:
  template:
    spec:
      nodeClassRef: {{group: karpenter.k8s.aws, kind: EC2NodeClass, name: gpu}}
      requirements: [{{key: karpenter.sh/capacity-type, operator: In, values: [{values}]}}]
---
"""
TERMS = "capacityReservationSelectorTerms: [{id: cr-1}]"


@pytest.mark.parametrize(
    ("values", "terms", "words"),
    [
        ("reserved", "", "selects no reservation"),
        ("on-demand", TERMS, "never uses the reservations"),
        ("reserved", TERMS, ""),
        ("reserved, on-demand", "", ""),
        ("on-demand", "", ""),
    ],
)
def test_pools_and_the_reservations_of_their_class(values: str, terms: str, words: str) -> None:
    text = POOL.format(name="a", values=values) + of(*NODES, terms)
    messages = said("GPU421", text)
    assert bool(messages) is bool(words) and words in "".join(messages)
    # Another pool of the class may use them.
    both = POOL.format(name="b", values="reserved") + text
    assert not any("never uses" in message for message in said("GPU421", both))


SCALER = """\
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {{name: s}}
spec:
  scaleTargetRef: {{name: d}}
  minReplicaCount: 1
  maxReplicaCount: {most}
  triggers: [{{type: {kind}, {more}metadata: {{serverAddress: "http://p", threshold: "5", query: '{query}'}}}}]
"""
WAITING = "vllm:num_requests_waiting"


@pytest.mark.parametrize(
    ("query", "most", "is_one"),
    [
        (WAITING, 4, False),
        (f'{WAITING}{{namespace="a"}}', 4, False),
        (f"max_over_time({WAITING}[5m])", 4, False),
        (f"sum({WAITING})", 4, True),
        (f'max by (model_name) ({WAITING}{{model_name="a"}})', 4, True),
        (f'{WAITING}{{pod="a-0"}}', 4, True),
        (WAITING, 1, True),
        ("my_queue_length", 4, True),
    ],
)
def test_queries_with_a_series_for_each_pod(query: str, most: int, is_one: bool) -> None:
    text = SCALER.format(most=most, kind="prometheus", more="", query=query)
    assert [*map(bool, said("GPU876", text))] == [True] * (not is_one)


def test_triggers_that_keda_does_not_have() -> None:
    query = f"sum({WAITING})"
    slip = SCALER.format(most=4, kind="promotheus", more="", query=query)
    assert said("GPU803", slip)[0].startswith("KEDA has no trigger `promotheus`")
    other = SCALER.format(most=4, kind="moon-phase", more="", query=query)
    assert said("GPU803", other) == []
    share = SCALER.format(most=4, kind="prometheus", more="metricType: Utilization, ", query=query)
    assert said("GPU803", share)[0].startswith("`metricType: Utilization` is for")


BUDGET = """\
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {{name: {name}}}
spec: {{maxUnavailable: 1, selector: {{matchLabels: {{app: {app}}}}}}}
---
"""
SERVER = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: d}
spec:
  replicas: 3
  selector: {matchLabels: {app: a}}
  template:
    metadata: {labels: {app: a}}
    spec: {containers: [{name: a, image: "a:1", resources: {limits: {nvidia.com/gpu: 1}}}]}
"""


def test_two_budgets_of_the_same_pods() -> None:
    first, second = BUDGET.format(name="one", app="a"), BUDGET.format(name="two", app="a")
    (message,) = said("GPU516", first + second + SERVER)
    assert "`one` has the same selector" in message
    assert said("GPU516", first + SERVER) == []


QUEUES = """\
apiVersion: v1
kind: ConfigMap
metadata: {{name: yunikorn-configs}}
data:
  queues.yaml: |
    partitions:
      - name: default
        queues: [{{name: root, queues: [{{name: gpu, {queue}}}]}}]
"""


@pytest.mark.parametrize(
    ("queue", "words"),
    [
        (
            "limits: [{limit: a, users: ['*'], maxapplications: 1}, {limit: b, users: [ann], maxapplications: 1}]",
            "behind the limit of `*`",
        ),
        ("maxapplications: 2, queues: [{name: a, maxapplications: 3}]", "from 1 to 2"),
        ("maxapplications: 2, queues: [{name: a}]", "from 1 to 2"),
        (
            "resources: {max: {vcore: 1500m}}, "
            "queues: [{name: a, resources: {guaranteed: {vcore: 1}}}, {name: b, resources: {guaranteed: {vcore: 1}}}]",
            "are guaranteed",
        ),
        (
            "limits: [{limit: a, users: [ann], maxapplications: 1}, {limit: b, users: ['*'], maxapplications: 1}]",
            "",
        ),
        ("maxapplications: 2, queues: [{name: a, maxapplications: 1}]", ""),
    ],
)
def test_queues_that_yunikorn_rejects(queue: str, words: str) -> None:
    messages = said("GPU018", QUEUES.format(queue=queue))
    assert bool(messages) is bool(words) and words in "".join(messages)


SLICE = """\
apiVersion: v1
kind: Pod
metadata: {{name: p}}
spec:
  nodeSelector: {{{label}}}
  containers: [{{name: a, image: "a:1", resources: {{limits: {{nvidia.com/mig-1g.10gb: 1}}}}}}]
"""


@pytest.mark.parametrize(
    ("label", "has_none"),
    [
        ("nvidia.com/gpu.product: NVIDIA-L4", True),
        ("cloud.google.com/gke-accelerator: nvidia-tesla-t4", True),
        ("node.kubernetes.io/instance-type: g6.xlarge", True),
        ("nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3", False),
        ("nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB-MIG-1g.10gb", False),
        ("team: a", False),
    ],
)
def test_slices_of_a_gpu_that_the_node_selector_excludes(label: str, has_none: bool) -> None:
    assert [*map(bool, said("GPU311", SLICE.format(label=label)))] == [True] * has_none


VOLCANO = """\
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {{name: {name}}}
spec: {{{spec}}}
---
"""


@pytest.mark.parametrize(("amount", "is_above"), [(3, True), (2, False)])
def test_queues_of_volcano_with_less_than_their_children(amount: int, is_above: bool) -> None:
    text = VOLCANO.format(name="all", spec="deserved: {nvidia.com/gpu: 4}")
    for name in ("one", "two"):
        spec = f"parent: all, deserved: {{nvidia.com/gpu: {amount}}}"
        text += VOLCANO.format(name=name, spec=spec)
    messages = said("GPU417", text)
    assert [("of its children together" in message) for message in messages] == [True] * is_above
