"""GPU506: the status server of Dynamo's workers."""

import pytest

from tests.lint.pages import raised

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: worker, namespace: ml}
spec:
  containers:
    - name: main
      image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.2.0
      command: [python3, -m, MODULE]
      env: [ENV]
      PROBE
      resources: {limits: {nvidia.com/gpu: 1}}
"""
GRAPH = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: graph, namespace: ml}
spec:
  services:
    Worker:
      componentType: worker
      SERVICE
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.2.0
          command: [python3, -m, dynamo.vllm]
          env: [ENV]
          PROBE
"""


def said(text: str) -> list[str]:
    return [one.found.message for one in raised(text) if one.rule.code == "GPU506"]


def of_pod(probe: str = "", env: str = "", module: str = "dynamo.vllm") -> list[str]:
    return said(POD.replace("PROBE", probe).replace("ENV", env).replace("MODULE", module))


def of_graph(probe: str = "", env: str = "", service: str = "") -> list[str]:
    return said(GRAPH.replace("PROBE", probe).replace("ENV", env).replace("SERVICE", service))


def asks(port: int, path: str = "/live", kind: str = "startup") -> str:
    return f"{kind}Probe: {{httpGet: {{path: {path}, port: {port}}}}}"


def at_port(port: int) -> str:
    return f'{{name: DYN_SYSTEM_PORT, value: "{port}"}}'


def test_a_worker_without_a_status_server() -> None:
    [message] = of_pod(asks(9090))
    assert "has no status server unless `DYN_SYSTEM_PORT` is set" in message


@pytest.mark.parametrize("module", ["dynamo.vllm", "dynamo.sglang", "dynamo.trtllm"])
def test_a_status_server_on_another_port(module: str) -> None:
    [message] = of_pod(asks(8000, "/health", "readiness"), at_port(9090), module)
    assert message.startswith("`readinessProbe` asks port 8000, but the status server")


def test_the_operator_sets_the_port() -> None:
    [message] = of_graph(asks(8000))
    assert "listens on 9090: every probe fails" in message


def test_a_port_that_the_probes_of_the_operator_do_not_ask() -> None:
    [message] = of_graph(env=at_port(8081))
    assert message.startswith("`DYN_SYSTEM_PORT` moves the worker's status server to port 8081")


@pytest.mark.parametrize(
    ("probe", "env", "module"),
    [
        (asks(9090), at_port(9090), "dynamo.vllm"),
        (asks(8081), "", "dynamo.vllm"),
        (asks(8000), "", "dynamo.frontend"),
        (asks(6880, "/metrics"), "", "dynamo.vllm"),
        (
            asks(9090),
            "{name: DYN_SYSTEM_PORT, valueFrom: {fieldRef: {fieldPath: x}}}",
            "dynamo.vllm",
        ),
        ("readinessProbe: {exec: {command: [check]}}", "", "dynamo.vllm"),
    ],
)
def test_silent_where_it_answers_or_may(probe: str, env: str, module: str) -> None:
    assert of_pod(probe, env, module) == []


@pytest.mark.parametrize(
    ("probe", "env", "service"),
    [
        (asks(9090), "", ""),
        ("", at_port(9090), ""),
        ("", "", ""),
        ("", at_port(8081), "envs: [{name: A, value: b}]"),
    ],
)
def test_silent_for_graphs(probe: str, env: str, service: str) -> None:
    assert of_graph(probe, env, service) == []
