"""GPU988: beyond what its page shows."""

import json

import pytest

from tests.lint.pages import raised

POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: work, namespace: ml, labels: {{app: work}}}}
spec:
  initContainers:
    - name: first
      image: {image}
      command: {command}
      {more}
  containers:
    - name: main
      image: registry.example.com/work:1
      ports: [{{containerPort: 8000}}]
      resources: {{limits: {{nvidia.com/gpu: 1}}}}
---
apiVersion: v1
kind: Service
metadata: {{name: work, namespace: ml}}
spec: {{selector: {{app: work}}, ports: [{{port: 8000}}]{service}}}
"""


def said(
    *command: str, image: str = "busybox:1.36", more: str = "", service: str = ""
) -> list[str]:
    text = POD.format(image=image, command=json.dumps(command), more=more, service=service)
    return [one.found.message for one in raised(text) if one.rule.code == "GPU988"]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("sleep", "infinity"), "`sleep` in an init container"),
        (("sh", "-c", "cp -r /a /b && sleep infinity"), "`sleep` in an init container"),
        (("sh", "-c", "cp -r /a /b; tail -f /dev/null"), "`tail` in an init container"),
        (("sh", "-c", "while true; do cp /a /b; sleep 9; done"), "`while` in an init container"),
        (("redis-server",), "`redis-server` in an init container"),
        (("sh", "-c", "until nc -z work 8000; do sleep 2; done"), "waits for Service `work`"),
        (("sh", "-c", "until wget -q http://work.ml:8000/; do sleep 2; done"), "Service `work`"),
    ],
)
def test_behind_which_nothing_starts(command: tuple[str, ...], words: str) -> None:
    (message,) = said(*command)
    assert words in message
    assert said(*command, more="restartPolicy: Always") == []


@pytest.mark.parametrize(
    "command",
    [
        ("sleep", "30"),
        ("sh", "-c", "ollama serve & sleep 5; ollama pull llama3"),
        ("sh", "-c", "while true; do nc -z db 5432 && break; sleep 2; done"),
        ("sh", "-c", "while true; do echo; done & cp /a /b"),
        ("sh", "-c", "until nc -z work-db 8000; do sleep 2; done"),
        ("sh", "-c", "timeout 60 sh -c 'until nc -z work 8000; do sleep 2; done'"),
    ],
)
def test_what_ends(command: tuple[str, ...]) -> None:
    assert said(*command) == []


def test_a_server_and_a_service_of_pods_that_are_not_ready() -> None:
    (message,) = said("ollama", "serve", image="ollama/ollama:0.5.4")
    assert "`Ollama` in an init container" in message
    loop = "until nc -z work 8000; do sleep 2; done"
    assert said("sh", "-c", loop, service=", publishNotReadyAddresses: true") == []
