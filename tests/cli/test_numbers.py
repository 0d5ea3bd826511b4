"""Numbers that are none, and numbers that nothing can hold: an answer each time, and at once."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Program = Callable[..., Any]

MANY = "9" * 5000
MEMORY = 4 << 20
"""KiB that a process may map: reading a dump maps two of the four GiB."""
DIGEST = "0123456789abcdef" * 4

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: chat, namespace: ml, annotations: {{kueue.x-k8s.io/queue-name: "{number}"}}}}
spec:
  replicas: {replicas}
  strategy: {{rollingUpdate: {{maxSurge: "{number}%", maxUnavailable: "{number}%"}}}}
  selector: {{matchLabels: {{app: chat}}}}
  template:
    metadata: {{labels: {{app: chat}}}}
    spec:
      terminationGracePeriodSeconds: 30
      containers:
        - name: server
          image: vllm/vllm-openai:v{number}.{number}@sha256:{digest}
          command: [torchrun, --nproc-per-node, "{number}", --nnodes, "{number}:{number}"]
          args: [--tensor-parallel-size, "{number}", --gpu-memory-utilization, "{number}", --port,
                 "{number}", --model, "a/b-{number}b"]
          env:
            - {{name: CUDA_VISIBLE_DEVICES, value: "{number}"}}
            - {{name: WORLD_SIZE, value: "{number}"}}
          ports: [{{containerPort: 8000}}]
          readinessProbe: {{httpGet: {{port: "{number}"}}, periodSeconds: "{number}"}}
          lifecycle: {{preStop: {{exec: {{command: [sh, -c, "sleep {number}"]}}}}}}
          resources: {{limits: {{nvidia.com/gpu: {amount}, memory: "{number}", "nvidia.com/mig-{number}g.{number}gb": 1}}}}
---
apiVersion: v1
kind: Service
metadata: {{name: chat, namespace: ml}}
spec: {{selector: {{app: chat}}, ports: [{{port: 80, targetPort: "{number}"}}]}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {{name: chat, namespace: ml}}
spec: {{minAvailable: "{number}%", selector: {{matchLabels: {{app: chat}}}}}}
---
apiVersion: batch/v1
kind: Job
metadata: {{name: train, namespace: ml, annotations: {{kueue.x-k8s.io/job-min-parallelism: "{number}"}}}}
spec:
  parallelism: {replicas}
  completions: {replicas}
  template:
    metadata: {{annotations: {{gpu-fraction: "{number}", autoscaling.knative.dev/max-scale: "{number}"}}}}
    spec:
      restartPolicy: Never
      affinity:
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms:
              - matchExpressions: [{{key: nvidia.com/gpu.count, operator: Gt, values: ["{number}"]}}]
      containers:
        - {{name: main, image: "x/y:1@sha256:{digest}", resources: {{limits: {{nvidia.com/gpu: 1}}}}}}
"""

SERVER = """\
apiVersion: v1
kind: Pod
metadata: {{name: chat}}
spec:
  containers:
    - name: server
      image: vllm/vllm-openai:v0.11.0@sha256:{digest}
      args: [--model, a/b, --tensor-parallel-size, "{number}"]
      resources: {{limits: {{nvidia.com/gpu: 1}}}}
"""

NASTY = ["²", MANY, "1e-999999999", "nan", "99999999999999999999"]
COMMANDS = [
    "lint x.yaml",
    "lint x.yaml -c clusters/eu.yaml --unsafe-fixes --diff",
    "fit x.yaml -c clusters/eu.yaml --seeds 1",
    "table x.yaml",
    "diff was.yaml x.yaml",
]


@pytest.fixture
def bounded(shell: Program) -> Program:
    """A line of bash whose processes get no gigabytes."""
    return lambda line, **changes: shell(f"ulimit -v {MEMORY}; {line}", **changes)


def manifests(number: str, replicas: str = "2", amount: str = "1") -> str:
    return DEPLOYMENT.format(number=number, replicas=replicas, amount=amount, digest=DIGEST)


def answered(done: Any) -> None:
    """Exit codes of answers, and no fault."""
    assert done.code in (0, 1, 2), done.err[-2000:]
    assert "internal error" not in done.err


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("number", NASTY, ids=lambda text: text[:8])
def test_texts_that_are_no_numbers(
    folder: Path, bounded: Program, number: str, command: str
) -> None:
    (folder / "x.yaml").write_text(manifests(number))
    (folder / "was.yaml").write_text(manifests("1"))
    answered(bounded(f"gpuspec {command}"))


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("number", ["2147483647", "9223372036854775807", MANY])
def test_enormous_parallelism(folder: Path, bounded: Program, number: str, command: str) -> None:
    (folder / "x.yaml").write_text(manifests("1", replicas=number, amount=number))
    (folder / "was.yaml").write_text(manifests("1"))
    answered(bounded(f"gpuspec {command}"))


def test_more_pods_than_any_cluster_runs_are_not_tried_one_by_one(
    folder: Path, bounded: Program
) -> None:
    profile = (folder / "clusters/eu.yaml").read_text().replace("pods: 110", "pods: 2147483647")
    (folder / "clusters/eu.yaml").write_text(profile)
    job = "spec: {template: {spec: {containers: [{name: a, image: x}]}}, parallelism: 2147483647}"
    (folder / "x.yaml").write_text(
        f"apiVersion: batch/v1\nkind: Job\nmetadata: {{name: a}}\n{job}\n"
    )
    done = bounded("gpuspec fit x.yaml -c clusters/eu.yaml")
    assert done.code == 1
    assert "2,147,483,647 pods are more than any cluster runs" in " ".join(done.out.split())


def test_a_degree_in_other_digits_is_no_degree(folder: Path, gpuspec: Program) -> None:
    """What the server would not take is not held against the GPUs either."""
    said = "`--tensor-parallel-size"
    for number, found in (("2", True), ("²", False), ("٣", False)):
        (folder / "x.yaml").write_text(SERVER.format(number=number, digest=DIGEST))
        done = gpuspec("lint", "x.yaml", "--select", "parallel-degree")
        assert (said in done.out) is found, done


@pytest.mark.parametrize("number", [".nan", "-.inf"])
@pytest.mark.parametrize(("command", "code"), [("lint", 1), ("render", 2)])
def test_what_is_no_number_in_json_is_said_with_its_place(
    folder: Path, bounded: Program, command: str, code: int, number: str
) -> None:
    spec = (folder / "train.yaml").read_text().replace("count: 1", f"count: {number}")
    (folder / "train.yaml").write_text(spec)
    done = bounded(f"gpuspec {command} train.yaml")
    assert done.code == code
    assert "train.yaml:9:30" in done.out + done.err
    assert f"{number} is not a JSON number" in done.out + done.err


@pytest.mark.parametrize("field", ["gpu: {models: [T4], count: %s}", "workers: %s", "retries: %s"])
@pytest.mark.parametrize("number", [MANY, "1000000000000", "1e400", '"²"'])
def test_a_spec_with_such_a_count_is_refused_with_its_place(
    folder: Path, bounded: Program, field: str, number: str
) -> None:
    spec = (folder / "train.yaml").read_text().replace("gpu: {models: [T4], count: 1}\n", "")
    (folder / "train.yaml").write_text(f"{spec}  {field % number}\n")
    for command in ("render", "explain", "fit -c clusters/eu.yaml"):
        done = bounded(f"gpuspec {command} train.yaml")
        assert done.code == 2
        assert done.err.startswith("train.yaml:")


@pytest.mark.parametrize("number", [MANY, "²", "-1", "99999999999999999999"])
def test_a_width_that_is_none_is_the_terminals(terminal: Program, number: str) -> None:
    wanted = terminal("schema", "foo", columns=50)
    assert terminal("schema", "foo", columns=50, COLUMNS=number) == wanted


def nodes(gpus: str, pods: str = "110", label: str = "8", replicas: str = "1") -> str:
    amounts = {"cpu": "64", "memory": "500Gi", "pods": pods, "nvidia.com/gpu": gpus}
    labels = {
        "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3",
        "nvidia.com/gpu.count": label,
        "nvidia.com/gpu.memory": label,
        "nvidia.com/gpu.replicas": replicas,
    }
    info = {"kubeletVersion": f"v1.36.{label}"}
    status = {"allocatable": amounts, "capacity": amounts, "nodeInfo": info}
    node = {"kind": "Node", "metadata": {"name": "n", "labels": labels}, "status": status}
    return json.dumps({"kind": "List", "items": [{"apiVersion": "v1", "spec": {}, **node}]})


LIVE = [
    "cluster discover nodes.json",
    "fit train.yaml --live nodes.json",
    "fleet report --live nodes.json --format html",
]


@pytest.mark.parametrize("command", LIVE)
@pytest.mark.parametrize(
    ("gpus", "pods", "said"),
    [
        ("300000000", "110", '["nvidia.com/gpu"]: 300000000 devices are more than any node has'),
        ("8Ei", "110", '["nvidia.com/gpu"]: a quantity above 2^63-1'),
        (MANY, "110", '["nvidia.com/gpu"]: '),
        ("²", "110", '["nvidia.com/gpu"]: '),
        ("8", "1E", '["pods"]: 1000000000000000000 is more than Kubernetes can hold'),
    ],
)
def test_more_than_a_node_has_is_said_with_its_field(
    folder: Path, bounded: Program, command: str, gpus: str, pods: str, said: str
) -> None:
    (folder / "nodes.json").write_text(nodes(gpus, pods))
    done = bounded(f"gpuspec {command}")
    assert done.code == 2
    assert f"node n: status.allocatable{said}" in done.err


@pytest.mark.parametrize("command", LIVE)
@pytest.mark.parametrize("label", [MANY, "300000000"])
def test_labels_of_nodes_that_count_nothing(
    folder: Path, bounded: Program, command: str, label: str
) -> None:
    (folder / "nodes.json").write_text(nodes("8", label=label, replicas=label))
    answered(bounded(f"gpuspec {command}"))


def test_a_profile_is_stated_of_no_more_gpus_than_it_can_say(
    folder: Path, bounded: Program
) -> None:
    (folder / "nodes.json").write_text(nodes("2000", label="2000"))
    done = bounded("gpuspec cluster discover nodes.json")
    assert done.code == 2
    assert "2000 GPUs in one node are more than a profile can state (1024)" in done.err


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("²,1", "count: `²` is not a whole number above 0"),
        (f"{MANY},1", "(5000 characters)` is more than Kubernetes can hold: at most 2147483647"),
        ("3000000000,1", "`3000000000` is more than Kubernetes can hold: at most 2147483647"),
        ("1,٣", "gpus: `٣` is not a whole number above 0"),
        ("1,9223372036854775808", "is more than Kubernetes can hold: at most 9223372036854775807"),
    ],
)
def test_a_mix_says_what_is_wrong_with_a_count(
    folder: Path, bounded: Program, row: str, said: str
) -> None:
    (folder / "mix.csv").write_text(f"count,gpus\n{row}\n")
    done = bounded("gpuspec fleet report -c clusters/eu.yaml --mix mix.csv")
    assert done.code == 2
    assert done.err.startswith("mix.csv:2:1: error: ")
    assert said in done.err


def test_a_mix_of_as_many_as_can_be(folder: Path, bounded: Program) -> None:
    (folder / "mix.csv").write_text("count,gpus\n2147483647,9223372036854775807\n")
    for command in ("fleet report", "fit train.yaml"):
        answered(bounded(f"gpuspec {command} -c clusters/eu.yaml --mix mix.csv"))


@pytest.mark.parametrize("number", ["²", MANY, "nan"])
def test_an_option_that_is_no_number(gpuspec: Program, number: str) -> None:
    done = gpuspec("fit", "train.yaml", "-c", "clusters/eu.yaml", "--seeds", number)
    assert done.code == 2
    assert "is not a whole number\n" in done.err


def test_a_number_in_a_configuration(folder: Path, bounded: Program) -> None:
    (folder / "pyproject.toml").write_text(f"[tool.gpuspec]\nselect = {MANY}\n")
    done = bounded("gpuspec lint train.yaml")
    assert done.code == 2
    assert "pyproject.toml:1:1: error: a number has too many digits" in done.err
