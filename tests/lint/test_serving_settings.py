"""GPU851, of what serves models above one server: every row of its table, by settings that contradict
and by some that do not."""

import pytest
import yaml

from tests.lint.pages import raised

GRAPH = ("nvidia.com/v1alpha1", "DynamoGraphDeployment")
BETA = ("nvidia.com/v1beta1", "DynamoGraphDeployment")
MODEL = ("nvidia.com/v1alpha1", "DynamoModel")
SCALER = ("autoscaling.aibrix.ai/v1alpha1", "PodAutoscaler")
ADAPTER = ("model.aibrix.ai/v1alpha1", "ModelAdapter")
NIM = ("apps.nvidia.com/v1alpha1", "NIMService")
CACHE = ("apps.nvidia.com/v1alpha1", "NIMCache")
STEPS = ("serving.kserve.io/v1alpha1", "InferenceGraph")
FILE = ("v1", "ConfigMap")
EPP = "components: [{name: e, type: epp, %s}, {name: w, type: worker, replicas: 3}]"
CONFIG = "eppConfig: {configMapRef: {name: a, key: b}}"
WORKER = "components: [{name: w, type: %s, %s}]"
POD = "metricSourceType: pod, protocolType: http, port: '8000', path: metrics"
METRIC = "scaleTargetRef: {}, metricsSources: [{%s, targetMetric: %s, targetValue: '%s'}]"
NGC = "source: {ngc: {model: {%s}}}"
IMAGE = "image: {repository: a, tag: b}, storage: {nimCache: {name: a}}"
LITELLM = "model_list: [{model_name: m, litellm_params: {model: openai/m}}]"
SERVING = [
    # Of what, what is wrong, what is right, and a word of what is said.
    (GRAPH, "services: {W: {autoscaling: {enabled: true}}}", "services: {W: {autoscaling: {enabled: false}}}", "ignores `autoscaling`"),
    (GRAPH, "services: {W: {volumeMounts: [{name: a}]}}", "services: {W: {volumeMounts: [{name: a, mountPoint: /a}]}}", "has neither `mountPoint`"),
    (
        GRAPH,
        "services: {F: {ingress: {enabled: true}}, G: {ingress: {enabled: true, host: g}}}",
        "services: {F: {ingress: {enabled: true, host: f}}, G: {ingress: {enabled: false}}}",
        "without a `host`",
    ),
    (BETA, EPP % f"replicas: 2, {CONFIG}", EPP % f"replicas: 1, {CONFIG}", "accepts only 1"),
    (BETA, EPP % "replicas: 1", EPP % f"replicas: 1, {CONFIG}", "has no `eppConfig`"),
    (BETA, EPP % f"multinode: {{nodeCount: 2}}, {CONFIG}", EPP % CONFIG, "cannot have `multinode`"),
    (BETA, WORKER % ("frontend", "experimental: {gpuMemoryService: {}}"), WORKER % ("worker", "experimental: {gpuMemoryService: {}}"), "needs a worker"),
    (
        BETA,
        WORKER % ("worker", "experimental: {failover: {mode: IntraPod}}"),
        WORKER % ("worker", "experimental: {failover: {mode: IntraPod}, gpuMemoryService: {mode: IntraPod}}"),
        "`failover` needs",
    ),
    (BETA, WORKER % ("worker", "frontendSidecar: f"), WORKER % ("worker", "frontendSidecar: f, podTemplate: {spec: {}}"), "has no `podTemplate`"),
    (MODEL, "modelType: lora", "modelType: lora, source: {uri: 'hf://a/b'}", "has no `source.uri`"),
    (MODEL, "source: {uri: a/b}", "source: {uri: 's3://a/b'}", "begins with none of"),
    (SCALER, METRIC % ("metricSourceType: pod, protocolType: http, path: m", "m", "1"), METRIC % (POD, "m", "1"), "has no `port`"),
    (SCALER, METRIC % ("metricSourceType: pod, protocolType: http, port: '1'", "m", "1"), METRIC % (POD, "m", "1"), "has no `path`"),
    (SCALER, METRIC % ("metricSourceType: domain, path: m", "m", "1"), METRIC % (POD, "m", "1"), "has no `protocolType`"),
    (SCALER, METRIC % ("metricSourceType: resource", "gpu", "50"), METRIC % ("metricSourceType: resource", "cpu", "50"), "is `cpu` or `memory`"),
    (SCALER, METRIC % (POD, "m", "50%"), METRIC % (POD, "m", "0.5"), "is not a number"),
    (SCALER, "scaleTargetRef: {name: a}", METRIC % (POD, "m", "1"), "`metricsSources` is missing"),
    (ADAPTER, "artifactURL: a/b", "artifactURL: 'huggingface://a/b'", "no scheme that AIBrix knows"),
    (NIM, "image: {tag: b}, storage: {}", "image: {tag: b}, storage: {emptyDir: {}}", "names no source"),
    (NIM, "storage: {pvc: {create: false}}", "storage: {pvc: {create: true}}", "neither names a claim"),
    (NIM, f"{IMAGE}, proxy: {{httpProxy: 'p:3128'}}", f"{IMAGE}, proxy: {{httpProxy: 'http://p:3128'}}", "has no scheme: the NIM"),
    (CACHE, NGC % "qosProfile: fast", NGC % "qosProfile: latency", "is neither `latency`"),
    (STEPS, "nodes: {first: {routerType: Sequence}}", "nodes: {root: {routerType: Sequence}}", "is named `root`"),
    (
        STEPS,
        "nodes: {root: {steps: [{serviceName: a, serviceUrl: b}]}}",
        "nodes: {root: {steps: [{serviceName: a}, {serviceUrl: b}]}}",
        "names two targets",
    ),
    (FILE, "model_list: [{model_name: m, params: {}}]", LITELLM, "has no `litellm_params`"),
    (FILE, f"{LITELLM}, litellm_settings: {{master_key: k}}", f"{LITELLM}, general_settings: {{master_key: k}}", "only from `general_settings`"),
    (
        FILE,
        f"{LITELLM}, router_settings: {{routing_strategy: round-robin}}",
        f"{LITELLM}, router_settings: {{routing_strategy: least-busy}}",
        "no routing strategy",
    ),
    (FILE, "chunk_size: 256, enable_controller: true", "chunk_size: 256, enable_controller: true, controller_pull_url: 'a:1'", "needs `controller_pull_url`"),
    (FILE, "enable_pd: true, enable_p2p: true", "enable_pd: true", "cannot combine `enable_pd`"),
    (FILE, "chunk_size: 256, local_disk: 'file:///a'", "chunk_size: 256, local_disk: 'file:///a', max_local_disk_size: 5", "keeps nothing on disk"),
]  # fmt: skip


def text_of(product: tuple[str, str], settings: str) -> str:
    """Return a manifest with the settings of a kind, or a ConfigMap with a file of them."""
    api, kind = product
    value = yaml.safe_load(f"{{{settings}}}")
    content = (
        {"data": {"config.yaml": yaml.safe_dump(value)}} if product == FILE else {"spec": value}
    )
    metadata = {"name": "it", "namespace": "ml"}
    return yaml.safe_dump({"apiVersion": api, "kind": kind, "metadata": metadata, **content})


@pytest.mark.parametrize(("product", "wrong", "right", "word"), SERVING)
def test_settings_that_contradict_one_another(
    product: tuple[str, str], wrong: str, right: str, word: str
) -> None:
    messages = said(text_of(product, wrong))
    assert [message for message in messages if word in message], messages
    assert not said(text_of(product, right))


def test_a_graph_without_grove_has_no_priority() -> None:
    text = text_of(BETA, "priorityClassName: high, components: []")
    grove = text.replace(
        "metadata:", "metadata:\n  annotations: {nvidia.com/enable-grove: 'false'}"
    )
    assert "needs Grove" in said(grove)[0]
    assert not said(text)


def said(text: str) -> list[str]:
    """Return what the rule says of a manifest."""
    return [one.finding().message for one in raised(text) if one.rule.code == "GPU851"]
