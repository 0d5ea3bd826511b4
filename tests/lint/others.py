"""Servers beside vLLM: a good manifest of each, and what a change of it raises."""

from typing import NamedTuple

from tests.lint.pages import raised

TEMPLATE = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}, namespace: ml}}
spec:
  replicas: 1
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec:
      enableServiceLinks: false
      automountServiceAccountToken: false
      containers:
        - name: main
          image: {image}
{start}
          ports: [{{name: http, containerPort: {port}}}]
          resources:
            requests: {{cpu: "4", memory: 16Gi}}
            limits: {{memory: 16Gi, nvidia.com/gpu: 1}}
          startupProbe:
            httpGet: {{path: {path}, port: {port}}}
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 90
          readinessProbe:
            httpGet: {{path: {path}, port: {port}}}
            timeoutSeconds: 5
          livenessProbe:
            httpGet: {{path: {path}, port: {port}}}
            timeoutSeconds: 10
            failureThreshold: 6
          volumeMounts:
            - {{name: models, mountPath: {folder}}}
      volumes:
        - name: models
          persistentVolumeClaim: {{claimName: models}}
---
apiVersion: v1
kind: Service
metadata: {{name: {name}, namespace: ml}}
spec:
  selector: {{app: {name}}}
  ports: [{{port: 80, targetPort: {port}}}]
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {{name: {name}, namespace: ml}}
spec:
  scaleTargetRef: {{name: {name}}}
  minReplicaCount: 1
  maxReplicaCount: 3
  triggers:
    - type: prometheus
      metadata:
        serverAddress: http://prometheus.monitoring:9090
        query: {query}
        threshold: "5"
"""
STARTUP = """\
          startupProbe:
            httpGet: {path: /health, port: 8080}
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 90
"""


class Server(NamedTuple):
    """A good manifest."""

    image: str
    start: str
    port: int
    path: str
    folder: str
    query: str

    def text(self, name: str) -> str:
        start = "\n".join(" " * 10 + line for line in self.start.splitlines())
        fields = {**self._asdict(), "start": start}
        return TEMPLATE.format(name=name, **fields)


SERVERS = {
    "llamacpp": Server(
        "ghcr.io/ggml-org/llama.cpp:server-cuda-b6500",
        "args: [-hf, ggml-org/gemma-3-4b-it-GGUF, --host, 0.0.0.0, --port, '8080', -ngl, '99', --metrics]\n"
        "env: [{name: LLAMA_CACHE, value: /models}]",
        8080,
        "/health",
        "/models",
        "sum(llamacpp:requests_deferred)",
    ),
    "ollama": Server(
        "ollama/ollama:0.33.0",
        "env: [{name: OLLAMA_KEEP_ALIVE, value: '-1'}]",
        11434,
        "/",
        "/root/.ollama",
        "sum(nginx_ingress_controller_requests)",
    ),
    "lmdeploy": Server(
        "openmmlab/lmdeploy:v0.16.0-cu12",
        "command: [lmdeploy, serve, api_server]\n"
        "args: [internlm/internlm3-8b-instruct, --server-port, '23333', --tp, '1']",
        23333,
        "/health",
        "/root/.cache/huggingface",
        "sum(lmdeploy:num_requests_waiting)",
    ),
    "tei": Server(
        "ghcr.io/huggingface/text-embeddings-inference:89-1.9",
        "args: [--model-id, BAAI/bge-m3, --port, '8080']",
        8080,
        "/health",
        "/data",
        "sum(te_queue_size)",
    ),
    "infinity": Server(
        "michaelf34/infinity:0.0.77",
        "args: [v2, --model-id, BAAI/bge-m3, --port, '7997']",
        7997,
        "/health",
        "/app/.cache",
        "sum(nginx_ingress_controller_requests)",
    ),
    "trtllm": Server(
        "nvcr.io/nvidia/tensorrt-llm/release:1.2.0",
        "command: [trtllm-serve]\n"
        "args: [Qwen/Qwen3-8B, --host, 0.0.0.0, --port, '8000', --tp_size, '1']",
        8000,
        "/health",
        "/root/.cache/huggingface",
        "sum(nginx_ingress_controller_requests)",
    ),
}


def codes(text: str) -> set[str]:
    return {one.rule.code for one in raised(text)}


def more(server: str, *changes: tuple[str, str]) -> set[str]:
    """The codes that the changes raise and the good manifest does not."""
    good = SERVERS[server].text(server)
    text = good
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return codes(text) - codes(good)
