"""GPU947: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

CLIENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: webui, namespace: web}
spec:
  selector: {matchLabels: {app: webui}}
  template:
    metadata: {labels: {app: webui}}
    spec:
      containers:
        - name: webui
          image: example.com/webui:1
          env: [{name: BACKEND, value: "ADDRESS"}]
---
apiVersion: v1
kind: Service
metadata: {name: chat-server, namespace: ai}
spec: {selector: {app: chat}, ports: [{name: http, port: 8000}]}
"""
CONFIG = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: webui, namespace: web}
data:
  settings.yaml: |
    # backend: http://chat-server:8000
    backend: "ADDRESS"
---
""" + CLIENT.partition("---\n")[2]
RUN = """\
apiVersion: KIND
metadata: {name: train, namespace: training}
spec:
  SPEC
"""
POD = (
    "{containers: [{name: main, image: example.com/t:1, env: [{name: MASTER_ADDR, value: HOST}], "
    "resources: {limits: {nvidia.com/gpu: 8}}}]}"
)


def said(manifest: str) -> list[str]:
    findings = [one.finding() for one in raised(manifest)]
    return [finding.message for finding in findings if finding.rule == "GPU947"]


@pytest.mark.parametrize(
    ("address", "words"),
    [
        (
            "http://chat-server:8000/v1",
            "looked up in `web`, the namespace of the caller: `chat-server`",
        ),
        ("http://chat-server.web.svc:8000", "is in namespace `ai`, but is looked up in `web`"),
        ("http://chat-sever.ai:8000", "no Service is named `chat-sever`, but `chat-server` exists"),
    ],
)
@pytest.mark.parametrize("manifest", [CLIENT, CONFIG])
def test_a_wrong_name_or_namespace(manifest: str, address: str, words: str) -> None:
    (message,) = said(manifest.replace("ADDRESS", address))
    assert words in message


@pytest.mark.parametrize(
    "address",
    [
        "http://chat-server.ai:8000",
        "http://chat-server.ai.svc.cluster.local:8000/v1",
        # Another port is that of another Service.
        "http://chat-server:9000",
        "http://other:8000",
        "https://chat-server.example.com:8000",
        "chat-server",
        "http://${HOST}:8000",
    ],
)
@pytest.mark.parametrize("manifest", [CLIENT, CONFIG])
def test_what_resolves_or_may(manifest: str, address: str) -> None:
    assert not said(manifest.replace("ADDRESS", address))


def test_an_open_namespace_is_any() -> None:
    manifest = CLIENT.replace(", namespace: web", "")
    assert not said(manifest.replace("ADDRESS", "http://chat-server:8000"))


JOB = "batch/v1\nkind: Job", "{completionMode: Indexed, completions: 2, template: {spec: POD}}"
SET = (
    "jobset.x-k8s.io/v1alpha2\nkind: JobSet",
    "{replicatedJobs: [{name: w, template: {spec: {completions: 2, template: {spec: POD}}}}]}",
)
STATEFUL = (
    "apps/v1\nkind: StatefulSet",
    "{serviceName: train, replicas: 2, selector: {matchLabels: {a: b}}, template: {metadata: "
    "{labels: {a: b}}, spec: POD}}",
)


@pytest.mark.parametrize(
    ("made", "pod"), [(JOB, "train-0"), (SET, "train-w-0-0"), (STATEFUL, "train-0")]
)
def test_a_pod_of_its_own_in_another_namespace(made: tuple[str, str], pod: str) -> None:
    kind, spec = made
    text = RUN.replace("KIND", kind).replace("\n  SPEC", f" {spec}").replace("POD", POD)
    (message,) = said(text.replace("HOST", f"{pod}.train.default.svc.cluster.local"))
    assert "in namespace `training`, but is looked up in `default`" in message
    assert not said(text.replace("HOST", f"{pod}.train.training.svc.cluster.local"))
    assert not said(text.replace("HOST", f"{pod}.train"))


PICKER = """\
apiVersion: inference.networking.k8s.io/v1
kind: InferencePool
metadata: {name: chat, namespace: ai}
spec:
  selector: {matchLabels: {app: chat}}
  targetPorts: [{number: 8000}]
  endpointPickerRef: {name: chat-epp, port: {number: 9002}}
---
apiVersion: v1
kind: Service
metadata: {name: chat-epp, namespace: ai}
spec: {selector: {app: chat-epp}, ports: [{name: grpc, port: 9002}]}
---
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: tls, namespace: ai}
spec: {host: HOST}
"""


@pytest.mark.parametrize(
    ("host", "count"),
    [
        ("old-chat-epp", 1),
        ("chat-epp", 0),
        ("chat-epp.ai.svc.cluster.local", 0),
        ("other", 0),
        ("api.example.com", 0),
    ],
)
def test_the_host_of_a_destination_rule(host: str, count: int) -> None:
    found = [one for one in raised(PICKER.replace("HOST", host)) if one.rule.code == "GPU947"]
    assert len(found) == count
