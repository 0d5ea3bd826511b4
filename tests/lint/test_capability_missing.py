"""GPU931: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

EXPORTER = """
apiVersion: apps/v1
kind: DaemonSet
metadata: {{name: dcgm-exporter, namespace: monitoring}}
spec:
  selector: {{matchLabels: {{app: exporter}}}}
  template:
    metadata: {{labels: {{app: exporter}}}}
    spec:
      containers:
        - name: exporter
          image: nvcr.io/nvidia/k8s/dcgm-exporter:4.4.1-4.6.0-ubuntu22.04
          args: [{args}]
          securityContext: {security}
          volumeMounts: [{{name: counters, mountPath: /etc/own}}]
      volumes: [{{name: counters, configMap: {{name: counters}}}}]
"""
COUNTERS = """---
apiVersion: v1
kind: ConfigMap
metadata: {{name: counters, namespace: monitoring}}
data:
  own.csv: |
    # DCGM_FI_PROF_GR_ENGINE_ACTIVE, gauge, off
    DCGM_FI_DEV_GPU_UTIL, gauge, GPU utilization
    {more}
"""
POD = """
apiVersion: v1
kind: Pod
metadata: {{name: run, namespace: ml}}
spec:
  securityContext: {pod}
  containers:
    - name: main
      image: registry.example.com/run:1.0.0
      command: [{command}]
      securityContext: {security}
      resources: {{limits: {{nvidia.com/gpu: 8, {device}: 1, memory: 512Gi}}}}
"""


def said(text: str) -> list[str]:
    return [finding.found.message for finding in raised(text) if finding.rule.code == "GPU931"]


@pytest.mark.parametrize(
    ("args", "security", "word"),
    [
        ("", "{runAsUser: 0}", "profiling module"),
        ("-f, /etc/dcgm-exporter/dcp-metrics-included.csv", "{}", "profiling module"),
        ("", "{runAsUser: 1000, capabilities: {add: [SYS_ADMIN]}}", "must be root"),
    ],
)
def test_the_exporter_needs_it_for_profiling(args: str, security: str, word: str) -> None:
    (message,) = said(EXPORTER.format(args=args, security=security))
    assert word in message


@pytest.mark.parametrize(
    ("args", "security"),
    [
        ("", "{capabilities: {add: [SYS_ADMIN]}}"),
        ("", "{privileged: true}"),
        ("-r, dcgm:5555", "{}"),
        ("-f, /etc/own/own.csv", "{}"),
    ],
)
def test_an_exporter_that_does_not_need_it(args: str, security: str) -> None:
    assert not said(EXPORTER.format(args=args, security=security) + COUNTERS.format(more=""))


def test_counters_of_a_config_map() -> None:
    counters = COUNTERS.format(more="DCGM_FI_PROF_DRAM_ACTIVE, gauge, memory")
    assert said(EXPORTER.format(args="-f, /etc/own/own.csv", security="{}") + counters)


@pytest.mark.parametrize(
    ("command", "security", "is_wrong"),
    [
        ("nsys, profile, --gpu-metrics-devices=all, python, t.py", "{}", True),
        ("nsys, profile, python, t.py", "{}", False),
        ("ncu, python, t.py", "{capabilities: {add: [CAP_PERFMON]}}", False),
        ("ib_write_bw, -a", "{}", True),
    ],
)
def test_programs(command: str, security: str, is_wrong: bool) -> None:
    text = POD.format(command=command, security=security, pod="{}", device="example.com/nic")
    assert bool(said(text)) is is_wrong


@pytest.mark.parametrize(
    ("device", "security", "pod", "is_wrong"),
    [
        ("rdma/hca", "{}", "{}", True),
        ("rdma/hca", "{capabilities: {add: [IPC_LOCK]}}", "{}", False),
        ("rdma/hca", "{privileged: true}", "{}", False),
        ("rdma/hca", "{}", "{runAsUser: 1000}", False),
        ("vpc.amazonaws.com/efa", "{}", "{}", False),
    ],
)
def test_memory_of_rdma(device: str, security: str, pod: str, is_wrong: bool) -> None:
    text = POD.format(command="torchrun, t.py", security=security, pod=pod, device=device)
    assert bool(said(text)) is is_wrong


def test_a_preset_may_add_the_capability_to_the_container() -> None:
    service = """
apiVersion: serving.kserve.io/v1alpha2
kind: LLMInferenceService
metadata: {name: chat, namespace: ml}
spec:
  model: {uri: "hf://example/chat", name: chat}
  worker: &worker
    containers:
      - name: main
        resources: {limits: {nvidia.com/gpu: 8, rdma/roce_gdr: 1, memory: 512Gi}}
  template: *worker
"""
    assert not said(service)


def test_what_only_root_can_do() -> None:
    pod = """\
apiVersion: v1
kind: Pod
metadata: {name: work}
spec:
  containers:
    - name: main
      image: registry.example.com/work:1
      command: [sh, -c, "LINE"]
      securityContext: CONTEXT
      resources: {limits: {nvidia.com/gpu: 1}}
"""

    def messages(line: str, context: str) -> list[str]:
        text = pod.replace("LINE", line).replace("CONTEXT", context)
        return [one.found.message for one in raised(text) if one.rule.code == "GPU931"]

    for line in ("chown -R 1000:1000 /data", "apt-get update && apt-get install -y git"):
        (message,) = messages(line, "{runAsUser: 1000}")
        assert "must be root" in message
        (message,) = messages(line, "{runAsUser: 0, capabilities: {drop: [ALL]}}")
        assert "which the container drops" in message
        assert messages(line, "{runAsUser: 0}") == []
        assert messages(line, "{capabilities: {drop: [ALL], add: [CHOWN]}}") == []
    assert messages("sudo chown a /data", "{runAsUser: 1000}") == []
