"""GPU836 to GPU839, of fields of a pod: beyond what their pages show."""

import json

import pytest

from gpuspec.lint.raised import RaisedFinding
from tests.lint.pages import raised

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: ml}
spec:
  containers:
    - name: main
      image: IMAGE
      resources: {limits: {nvidia.com/gpu: 1}}
      MORE
  VOLUMES
"""
OWN = "registry.example.com/work:1"
VLLM = "vllm/vllm-openai:v0.11.0"
NIM = "nvcr.io/nim/meta/llama-3.1-8b-instruct:2.0.1"
LLAMA = "ghcr.io/ggml-org/llama.cpp:server-cuda-b9592"


def said(text: str, code: str) -> list[RaisedFinding]:
    return [one for one in raised(text) if one.rule.code == code]


def pod(image: str = OWN, more: str = "", volumes: str = "") -> str:
    text = POD.replace("IMAGE", image).replace("VOLUMES", volumes)
    return text.replace("MORE", more.replace("\n", "\n      "))


@pytest.mark.parametrize(
    ("amounts", "severity", "words"),
    [
        ("limits: {memory: 64}", "error", "64 bytes"),
        ("limits: {memory: 0.5}", None, ""),
        ("requests: {memory: 1500m}", "warning", "1500 thousandths of a byte"),
        ("limits: {ephemeral-storage: 20}", "warning", "20 bytes: the pod is evicted"),
        ("requests: {cpu: '8000'}", "error", "8000 cores"),
        # Small on purpose, or large and there.
        ("limits: {memory: 2Mi}", None, ""),
        ("requests: {cpu: 1920}", None, ""),
        ("requests: {cpu: 8000m, memory: 0}", None, ""),
        ("limits: {memory: 68719476736}", None, ""),
    ],
)
def test_amounts(amounts: str, severity: str | None, words: str) -> None:
    text = pod().replace("resources: {limits: {nvidia.com/gpu: 1}}", f"resources: {{{amounts}}}")
    found = said(text, "GPU836")
    assert [one.finding().severity for one in found] == ([severity] if severity else [])
    assert all(words in one.found.message for one in found)


def test_a_volume_of_ten_bytes() -> None:
    (one,) = said(pod(volumes="volumes: [{name: s, emptyDir: {sizeLimit: 10}}]"), "GPU836")
    assert one.finding().path == "spec.volumes[0].emptyDir.sizeLimit"


def beside(first: str, second: str, where: str = "containers") -> str:
    two = f"- {{name: second, image: {OWN}, {second}}}"
    text = pod(more=first)
    if where == "containers":
        return text.replace("  containers:\n", f"  containers:\n    {two}\n")
    return text.replace("  containers:\n", f"  {where}:\n    {two}\n  containers:\n")


@pytest.mark.parametrize(
    ("first", "second", "where", "severity"),
    [
        ("ports: [{containerPort: 80}]", "ports: [{containerPort: 80}]", "containers", "warning"),
        ("ports: [{containerPort: 80}]", "restartPolicy: Always, ports: [{containerPort: 80}]", "initContainers", "warning"),
        ("ports: [{containerPort: 80}]", "ports: [{containerPort: 80}]", "initContainers", None),
        ("ports: [{containerPort: 80}]", "ports: [{containerPort: 80, protocol: UDP}]", "containers", None),
        ("ports: [{containerPort: 80}]", "ports: [{containerPort: 81}]", "containers", None),
        ("command: [vllm, serve, /m]", "command: [vllm, serve, /n, --port, '8000']", "containers", "error"),
        ("command: [vllm, serve, /m]", "command: [vllm, serve, /n, --port, '8001']", "containers", None),
        ("command: [vllm, serve, /m]", "command: [vllm, serve, /n, --port, $PORT]", "containers", None),
    ],
)  # fmt: skip
def test_ports_of_one_pod(first: str, second: str, where: str, severity: str | None) -> None:
    found = said(beside(first, second, where), "GPU837")
    assert [one.finding().severity for one in found] == ([severity] if severity else [])


HOST = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat, namespace: ml}
spec:
  replicas: 2
  selector: {matchLabels: {app: chat}}
  template:
    metadata: {labels: {app: chat}}
    spec:
      hostNetwork: true
      containers:
        - name: main
          image: vllm/vllm-openai:v0.11.0
          args: [/m]
          resources: {limits: {nvidia.com/gpu: 1}}
"""


def test_ports_of_one_node() -> None:
    (one,) = said(HOST, "GPU837")
    assert "two of the 2 pods may get one node" in one.found.message
    for change in (
        ("hostNetwork: true", "hostNetwork: false"),
        ("replicas: 2", "replicas: 1"),
        ("gpu: 1", "gpu: 8"),
        ("args: [/m]", "ports: [{containerPort: 8000}]"),
        ("hostNetwork: true", "hostNetwork: true\n      topologySpreadConstraints: [{}]"),
    ):
        assert not said(HOST.replace(*change), "GPU837")


@pytest.mark.parametrize(
    ("image", "mount", "volume", "severity"),
    [
        (NIM, "/opt/nim", "emptyDir: {}", "error"),
        (NIM, "/opt", "emptyDir: {}", "error"),
        (NIM, "/opt/nim", "persistentVolumeClaim: {claimName: c}", "warning"),
        (NIM, "/opt/nim/.cache", "emptyDir: {}", None),
        (LLAMA, "/app", "persistentVolumeClaim: {claimName: c}", "warning"),
        (LLAMA, "/app/models", "emptyDir: {}", None),
        (OWN, "/app", "emptyDir: {}", None),
        (OWN, "/usr/bin", "configMap: {name: c}", "error"),
        (OWN, "/usr/local/nvidia", "emptyDir: {}", None),
        (OWN, "/usr", "hostPath: {path: /usr}", None),
    ],
)
def test_mounts_over_programs(image: str, mount: str, volume: str, severity: str | None) -> None:
    text = pod(
        image,
        f"volumeMounts: [{{name: v, mountPath: {mount}}}]",
        f"volumes: [{{name: v, {volume}}}]",
    )
    found = said(text, "GPU838")
    assert [one.finding().severity for one in found] == ([severity] if severity else [])
    filled = f"{{name: fill, image: {OWN}, volumeMounts: [{{name: v, mountPath: /to}}]}}"
    assert not said(
        text.replace("  containers:\n", f"  initContainers: [{filled}]\n  containers:\n"), "GPU838"
    )
    assert not said(
        text.replace(f"mountPath: {mount}", f"mountPath: {mount}, subPath: x"), "GPU838"
    )


MOUNT = "volumeMounts: [{name: s, mountPath: /s}]"
SCRIPT = json.dumps("exec /s/run.sh --all")


@pytest.mark.parametrize(
    ("command", "source", "severity"),
    [
        ("command: [/s/run.sh]", "configMap: {name: c}", "error"),
        ("command: [/s/run.sh]", "secret: {secretName: c, defaultMode: 0400}", "error"),
        (f"command: [bash, -c, {SCRIPT}]", "configMap: {name: c}", "error"),
        (f"command: [bash, -c]\nargs: [{SCRIPT}]", "configMap: {name: c}", "error"),
        ("command: [/s/run.sh]", "projected: {sources: [{configMap: {name: c}}]}", "error"),
        ("lifecycle: {preStop: {exec: {command: [/s/run.sh]}}}", "configMap: {name: c}", "warning"),
        ("livenessProbe: {exec: {command: [/s/run.sh]}}", "configMap: {name: c}", "warning"),
        # Somebody may execute it; a shell reads it; it is no file of such a volume.
        ("command: [/s/run.sh]", "configMap: {name: c, defaultMode: 0555}", None),
        ("command: [/s/run.sh]", "configMap: {name: c, defaultMode: 0744}", None),
        ("command: [/s/run.sh]", "configMap: {name: c, items: [{key: a, path: run.sh, mode: 0755}]}", None),
        ("command: [/s/run.sh]", "projected: {defaultMode: 0555, sources: [{configMap: {name: c}}]}", None),
        ("command: [bash, /s/run.sh]", "configMap: {name: c}", None),
        ("command: [bash, -c, cp /s/run.sh /r && chmod +x /r && /r]", "configMap: {name: c}", None),
        ("command: [/s/run.sh]", "persistentVolumeClaim: {claimName: c}", None),
        ("command: [/other/run.sh]", "configMap: {name: c}", None),
    ],
)  # fmt: skip
def test_files_that_are_run(command: str, source: str, severity: str | None) -> None:
    text = pod(more=f"{command}\n{MOUNT}", volumes=f"volumes: [{{name: s, {source}}}]")
    found = said(text, "GPU839")
    assert [one.finding().severity for one in found] == ([severity] if severity else [])


@pytest.mark.parametrize(
    ("mode", "speaks"),
    [("400", True), ("440", True), ("0400", False), ("420", False), ("256", False)],
)
def test_modes_in_decimal(mode: str, speaks: bool) -> None:
    secret = f"volumes: [{{name: s, secret: {{secretName: ssh, defaultMode: {mode}}}}}]"
    assert bool(said(pod(volumes=secret), "GPU839")) is speaks
    item = f"secret: {{secretName: ssh, items: [{{key: a, path: a, mode: {mode}}}]}}"
    assert bool(said(pod(volumes=f"volumes: [{{name: s, {item}}}]"), "GPU839")) is speaks
