"""Servers beside vLLM: what they download and need, and what their images make of it."""

import pytest

from tests.lint.others import SERVERS, codes, more
from tests.lint.pages import raised

CACHE = "env: [{name: LLAMA_CACHE, value: /models}]"


@pytest.mark.parametrize(
    ("server", "changes", "variable"),
    [
        ("llamacpp", [("value: /models}", "value: /tmp/cache}")], "LLAMA_CACHE"),
        ("ollama", [("mountPath: /root/.ollama", "mountPath: /models")], "OLLAMA_MODELS"),
        ("tei", [("mountPath: /data", "mountPath: /cache")], "HUGGINGFACE_HUB_CACHE"),
        ("tei", [("mountPath: /data", "mountPath: /cache"), ("args:", "env: [{name: HF_HOME, value: /hf}]\n          args:")], "HUGGINGFACE_HUB_CACHE"),
        ("infinity", [("mountPath: /app/.cache", "mountPath: /cache")], "HF_HOME"),
        ("lmdeploy", [("mountPath: /root/.cache/huggingface", "mountPath: /cache")], "HF_HOME"),
    ],
)  # fmt: skip
def test_a_volume_beside_the_downloads(
    server: str, changes: list[tuple[str, str]], variable: str
) -> None:
    text = SERVERS[server].text(server)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (one,) = [one for one in raised(text) if one.rule.code == "GPU917"]
    assert one.found.note is not None
    assert f"set `{variable}` to" in one.found.note


@pytest.mark.parametrize(
    ("server", "changes"),
    [
        ("llamacpp", [("env: [{name: LLAMA_CACHE, value: /models}]", "env: []")]),
        ("llamacpp", [("-hf, ggml-org/gemma-3-4b-it-GGUF", "--model, models/gemma.gguf"), ("value: /models}", "value: /tmp/cache}")]),
        ("ollama", [("mountPath: /root/.ollama", "mountPath: /root/.ollama/models")]),
        ("ollama", [("mountPath: /root/.ollama", "mountPath: /models"), ("env: [", "env: [{name: OLLAMA_MODELS, value: /models}, ")]),
    ],
)  # fmt: skip
def test_a_volume_that_downloads_may_lie_on(server: str, changes: list[tuple[str, str]]) -> None:
    assert "GPU917" not in more(server, *changes)


@pytest.mark.parametrize(
    ("server", "changes", "answer"),
    [
        ("lmdeploy", [("--tp, '1'", "--tp, '2'")], {"GPU731"}),
        ("lmdeploy", [("nvidia.com/gpu: 1", "nvidia.com/gpu: 2")], {"GPU731"}),
        ("trtllm", [("--tp_size, '1'", "--tp_size, '4'")], {"GPU731"}),
        ("trtllm", [("--tp_size, '1'", "--tensor_parallel_size, '2'")], {"GPU731"}),
        ("tei", [("nvidia.com/gpu: 1", "nvidia.com/gpu: 2")], {"GPU731"}),
        ("infinity", [("nvidia.com/gpu: 1", "nvidia.com/gpu: 2")], {"GPU731"}),
        ("infinity", [("nvidia.com/gpu: 1", "nvidia.com/gpu: 2"), ("args: [v2", "args: [v2, --device-id, '0,1'")], set()),
        # They drive every GPU that they see.
        ("llamacpp", [("nvidia.com/gpu: 1", "nvidia.com/gpu: 2")], set()),
        ("ollama", [("nvidia.com/gpu: 1", "nvidia.com/gpu: 2")], set()),
    ],
)  # fmt: skip
def test_the_gpus_that_it_uses(
    server: str, changes: list[tuple[str, str]], answer: set[str]
) -> None:
    assert more(server, *changes) & {"GPU731"} == answer


@pytest.mark.parametrize(
    ("server", "answer"),
    [
        # They end where they find no GPU, or ignore the option that names one; the others compute on
        # the CPU then.
        ("lmdeploy", {"GPU106"}),
        ("trtllm", {"GPU106"}),
        ("llamacpp", {"GPU106"}),
        ("ollama", set()),
        ("tei", set()),
        ("infinity", set()),
    ],
)
def test_a_pod_without_a_gpu(server: str, answer: set[str]) -> None:
    assert more(server, (", nvidia.com/gpu: 1}", "}")) & {"GPU106"} == answer


@pytest.mark.parametrize(
    ("server", "args", "answer"),
    [
        ("ollama", "[serve]", set()),
        ("ollama", "[ollama, serve]", {"GPU740"}),
        ("ollama", "[sh, -c, ollama serve]", {"GPU740"}),
        ("infinity", "[v2, --model-id, BAAI/bge-m3]", set()),
        ("infinity", "[infinity_emb, v2, --model-id, BAAI/bge-m3]", {"GPU740"}),
        ("llamacpp", "[llama-server, -m, /models/m.gguf]", {"GPU740"}),
        ("llamacpp", "[-m, /models/m.gguf]", set()),
        ("tei", "[text-embeddings-router, --model-id, BAAI/bge-m3]", {"GPU740"}),
        ("lmdeploy", "[--server-port, '23333']", {"GPU740"}),
    ],
)
def test_what_the_entrypoint_makes_of_args(server: str, args: str, answer: set[str]) -> None:
    image = f"          image: {SERVERS[server].image}\n"
    text = SERVERS[server].text(server)
    before, _, rest = text.partition(image)
    _, ports, after = rest.partition("          ports:")
    found = codes(f"{before}{image}          args: {args}\n{ports}{after}")
    assert found & {"GPU740"} == answer


@pytest.mark.parametrize(
    ("server", "changes", "answer"),
    [
        ("ollama", [], {"GPU609"}),
        ("ollama", [("mountPath: /root/.ollama", "mountPath: /.ollama")], set()),
        ("ollama", [("env: [", "env: [{name: HOME, value: /root/.ollama}, ")], set()),
        ("lmdeploy", [("mountPath: /root/.cache/huggingface", "mountPath: /weights")], {"GPU609"}),
        # They write what they download, and nothing else.
        ("llamacpp", [], set()),
        ("llamacpp", [(CACHE, "env: []")], {"GPU609"}),
        ("llamacpp", [(CACHE, "env: []"), ("-hf, ggml-org/gemma-3-4b-it-GGUF", "-m, /models/m.gguf")], set()),
        ("tei", [], set()),
        ("tei", [("mountPath: /data", "mountPath: /cache")], {"GPU609"}),
        ("tei", [("mountPath: /data", "mountPath: /cache"), ("args:", "env: [{name: HUGGINGFACE_HUB_CACHE, value: /cache}]\n          args:")], set()),
        ("tei", [("mountPath: /data", "mountPath: /models"), ("BAAI/bge-m3", "/models/bge-m3")], set()),
    ],
)  # fmt: skip
def test_a_user_without_a_home(
    server: str, changes: list[tuple[str, str]], answer: set[str]
) -> None:
    user = "enableServiceLinks: false\n      securityContext: {runAsNonRoot: true, runAsUser: 4000}"
    found = more(server, ("enableServiceLinks: false", user), *changes)
    assert found & {"GPU609"} == answer


@pytest.mark.parametrize("server", SERVERS)
def test_its_image_is_roots(server: str) -> None:
    user = "enableServiceLinks: false\n      securityContext: {runAsNonRoot: true}"
    assert "GPU619" in more(server, ("enableServiceLinks: false", user))


PLAIN = """\
apiVersion: v1
kind: Pod
metadata: {name: smi, namespace: ml}
spec:
  securityContext: {runAsNonRoot: true}
  initContainers: [{name: fetch, image: INIT, securityContext: {USER}}]
  containers: [{name: smi, image: MAIN, resources: {limits: {nvidia.com/gpu: 1}}}]
"""


@pytest.mark.parametrize(
    ("init", "main", "said"),
    [
        ("example.com/tools:1", "nvidia/cuda:13.0.1-base-ubuntu24.04", ["spec.containers[0].securityContext"]),
        ("example.com/tools:1", "nvcr.io/nvidia/pytorch:25.06-py3", ["spec.containers[0].securityContext"]),
        ("docker.io/library/python:3.12-slim", "example.com/train:1", ["spec.initContainers[0].securityContext"]),
        ("busybox", "example.com/train:1", ["spec.initContainers[0].securityContext"]),
        ("example.com/team/python:3.12", "example.com/nvidia/cuda-nonroot:1", []),
        ("example.com/busybox:1", "rayproject/ray:2.41.0", []),
    ],
)  # fmt: skip
def test_images_that_others_build_on(init: str, main: str, said: list[str]) -> None:
    text = PLAIN.replace("INIT", init).replace("MAIN", main)

    def spoken(user: str) -> list[str]:
        found = [one.finding() for one in raised(text.replace("USER", user))]
        return [one.path for one in found if one.rule == "GPU619"]

    assert spoken("") == said
    assert spoken("runAsUser: 1000") == [one for one in said if "init" not in one]


ROUTE = """---
apiVersion: route.openshift.io/v1
kind: Route
metadata: {name: smi, namespace: ml}
spec: {to: {kind: Service, name: smi}}
"""
SERVICE = """---
apiVersion: v1
kind: Service
metadata: {name: smi, namespace: ml, annotations: {KEY: "true"}}
spec: {selector: {app: smi}, ports: [{port: 80}]}
"""


@pytest.mark.parametrize(
    ("beside", "count"),
    [
        (ROUTE, 0),
        (SERVICE.replace("KEY", "openshift.io/display-name"), 0),
        (SERVICE.replace("KEY", "example.com/openshift.io"), 1),
    ],
)
def test_openshift_assigns_users(beside: str, count: int) -> None:
    pod = PLAIN.replace("INIT", "example.com/tools:1").replace("USER", "")
    text = pod.replace("MAIN", "nvidia/cuda:13.0.1-base-ubuntu24.04") + beside
    assert sum(one.rule.code == "GPU619" for one in raised(text)) == count


@pytest.mark.parametrize(
    ("server", "changes", "answer"),
    [
        ("llamacpp", [("--metrics", "--metrics, --log-prompts-dir, /tmp/prompts")], {"GPU618"}),
        ("ollama", [("env: [", "env: [{name: OLLAMA_DEBUG_LOG_REQUESTS, value: '1'}, ")], {"GPU618"}),
        ("lmdeploy", [("--tp, '1'", "--tp, '1', --log-level, DEBUG")], {"GPU618"}),
        ("lmdeploy", [("--tp, '1'", "--tp, '1', --log-level, ERROR")], set()),
    ],
)  # fmt: skip
def test_prompts_in_the_log(server: str, changes: list[tuple[str, str]], answer: set[str]) -> None:
    assert more(server, *changes) & {"GPU618"} == answer


BESIDE = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: beside, namespace: ml}}
spec:
  replicas: 1
  selector: {{matchLabels: {{app: beside}}}}
  template:
    metadata: {{labels: {{app: beside}}}}
    spec:
      automountServiceAccountToken: false
      containers:
        - {{name: main, image: "{image}", {start}}}
"""


@pytest.mark.parametrize(
    ("image", "start"),
    [
        ("ghcr.io/berriai/litellm:main-stable", "args: [--model, ollama/llama3.2, --port, '4000']"),
        ("ghcr.io/open-webui/open-webui:main", "env: [{name: OLLAMA_BASE_URL, value: 'http://ollama:11434'}]"),
        ("ghcr.io/frcooper/ollama-exporter:1.2", "env: [{name: OLLAMA_HOST, value: 'localhost:11434'}]"),
        ("prom/blackbox-exporter:v0.27.0", "args: [--web.listen-address, llama-server]"),
        ("ghcr.io/ggml-org/llama.cpp:light", "args: [-m, /models/m.gguf, -p, hello]"),
    ],
)  # fmt: skip
def test_what_stands_beside_servers_is_taken_for_none(image: str, start: str) -> None:
    assert not [
        one.found.message
        for one in raised(BESIDE.format(image=image, start=start))
        if one.rule.code in ("GPU106", "GPU613", "GPU618", "GPU619", "GPU620", "GPU814")
    ]


JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {{name: pull, namespace: ml}}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: {image}
          {start}
          resources: {{limits: {{nvidia.com/gpu: 1}}}}
"""


@pytest.mark.parametrize(
    ("image", "start", "answer"),
    [
        ("ollama/ollama:0.33.0", "args: [serve]", {"GPU723"}),
        ("ollama/ollama:0.33.0", "args: [pull, llama3.2]", set()),
        ("ollama/ollama:0.33.0", "command: [ollama, pull, llama3.2]", set()),
        (
            "ollama/ollama:0.33.0",
            "command: [sh, -c, 'ollama serve & sleep 5 && ollama pull llama3.2']",
            set(),
        ),
        (
            "ollama/ollama:0.33.0",
            "command: [sh, -c, 'mkdir -p /m && ollama serve']",
            {"GPU723"},
        ),
        ("nvcr.io/nim/meta/llama-3.1-8b-instruct:2.1.6", "args: [nim_download_to_cache]", set()),
        ("openmmlab/lmdeploy:v0.16.0", "args: [lmdeploy, lite, auto_awq, org/m]", set()),
        ("openmmlab/lmdeploy:v0.16.0", "args: [lmdeploy, serve, api_server, org/m]", {"GPU723"}),
        ("michaelf34/infinity:0.0.77", "args: [v2, --model-id, org/m]", {"GPU723"}),
        (
            "nvcr.io/nvidia/tensorrt-llm/release:1.2.0",
            "args: [trtllm-bench, --model, org/m, throughput]",
            set(),
        ),
    ],
)
def test_a_job_that_serves(image: str, start: str, answer: set[str]) -> None:
    assert codes(JOB.format(image=image, start=start)) & {"GPU723"} == answer


@pytest.mark.parametrize(
    ("server", "changes", "answer"),
    [
        ("tei", [], set()),
        ("tei", [("persistentVolumeClaim: {claimName: models}", "emptyDir: {}")], {"GPU905"}),
        ("ollama", [("persistentVolumeClaim: {claimName: models}", "emptyDir: {}")], {"GPU905"}),
        ("ollama", [("persistentVolumeClaim: {claimName: models}", "hostPath: {path: /m}")], set()),
        (
            "llamacpp",
            [("persistentVolumeClaim: {claimName: models}", "emptyDir: {}")],
            {"GPU905"},
        ),
        # One file that is mounted, whatever its path looks like.
        (
            "llamacpp",
            [
                ("-hf, ggml-org/gemma-3-4b-it-GGUF", "--model, models/gemma.gguf"),
                ("persistentVolumeClaim: {claimName: models}", "emptyDir: {}"),
            ],
            set(),
        ),
    ],
)
def test_weights_that_are_downloaded_at_each_start(
    server: str, changes: list[tuple[str, str]], answer: set[str]
) -> None:
    assert more(server, *changes) & {"GPU905"} == answer


@pytest.mark.parametrize(
    ("server", "changes", "answer"),
    [
        ("infinity", [], True),
        ("infinity", [("--port", "--revision, 5617a9f61b028005a4858fdac845db406aefb181, --port")], False),
        ("infinity", [("--port", "--no-trust-remote-code, --port")], False),
        (
            "infinity",
            [("args:", "env: [{name: INFINITY_TRUST_REMOTE_CODE, value: 'false'}]\n          args:")],
            False,
        ),
        ("lmdeploy", [], False),
        ("lmdeploy", [("--tp,", "--trust-remote-code, --tp,")], True),
    ],
)  # fmt: skip
def test_code_that_comes_with_a_model(
    server: str, changes: list[tuple[str, str]], answer: bool
) -> None:
    text = SERVERS[server].text(server)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    assert ("GPU614" in codes(text)) is answer


def test_a_model_that_has_no_code_today_may_have_some_tomorrow() -> None:
    text = SERVERS["lmdeploy"].text("lmdeploy").replace("--tp,", "--trust-remote-code, --tp,")
    (one,) = [one for one in raised(text) if one.rule.code == "GPU614"]
    assert one.found.message.startswith("any Python code in `")


def test_a_folder_that_is_not_known_is_not_proposed() -> None:
    given = "env: [{name: HOME, valueFrom: {configMapKeyRef: {name: a, key: b}}}, "
    text = SERVERS["ollama"].text("ollama").replace("env: [", given)
    text = text.replace("persistentVolumeClaim: {claimName: models}", "emptyDir: {}")
    (one,) = [one for one in raised(text) if one.rule.code == "GPU905"]
    assert one.found.note is None


@pytest.mark.parametrize(
    ("server", "sure"),
    [("llamacpp", []), ("ollama", []), ("lmdeploy", ["possible"]), ("trtllm", ["likely"])],
)
def test_shared_memory_of_one_that_may_drive_its_gpus_from_one_process(
    server: str, sure: list[str]
) -> None:
    text = SERVERS[server].text(server).replace("nvidia.com/gpu: 1", "nvidia.com/gpu: 2")
    text = text.replace("--tp, '1'", "--tp, '2'").replace("--tp_size, '1'", "--tp_size, '2'")
    assert [one.found.confidence for one in raised(text) if one.rule.code == "GPU901"] == sure


@pytest.mark.parametrize(
    ("server", "changes", "said"),
    [
        ("llamacpp", [(":server-cuda-b6500", ":server")], "llama.cpp:server` is a CPU-only build"),
        ("llamacpp", [(":server-cuda-b6500", ":server-b6500")], "is a CPU-only build"),
        ("llamacpp", [(":server-cuda-b6500", ":server-vulkan-b6500")], None),
        ("llamacpp", [("-ngl, '99'", "-ngl, '0'")], "`-ngl 0` keeps the model on the CPU"),
        ("llamacpp", [("-ngl, '99', ", ""), ("env: [", "env: [{name: LLAMA_ARG_DEVICE, value: none}, ")], "`LLAMA_ARG_DEVICE=none`"),
        ("tei", [(":89-1.9", ":cpu-1.9")], "is a CPU-only build"),
        ("infinity", [(":0.0.77", ":0.0.77-cpu")], "is a CPU-only build"),
        ("infinity", [("args: [v2", "args: [v2, --device, cpu")], "`--device cpu`"),
        ("infinity", [("args: [v2", "args: [v2, --device, cuda")], None),
    ],
)  # fmt: skip
def test_a_gpu_that_it_does_not_use(
    server: str, changes: list[tuple[str, str]], said: str | None
) -> None:
    text = SERVERS[server].text(server)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    found = [one.found for one in raised(text) if one.rule.code == "GPU731"]
    assert [(said in one.message, one.severity) for one in found if said] == (
        [(True, "warning")] if said else []
    )
    assert len(found) == (said is not None)


PLUGIN = """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: plugin, namespace: kube-system}
spec:
  selector: {matchLabels: {app: plugin}}
  template:
    metadata: {labels: {app: plugin}}
    spec:
      nodeSelector: {SELECTOR}
      containers: [{name: plugin, image: "IMAGE"}]
"""


@pytest.mark.parametrize(
    ("image", "selector", "is_reported"),
    [
        ("rocm/k8s-device-plugin:1.31.0.8", "kubernetes.io/arch: arm64", True),
        ("mirror.example.com/rocm/k8s-device-plugin:latest", "kubernetes.io/arch: arm64", True),
        ("rayproject/ray:2.46.0-py311", "kubernetes.io/arch: arm64", True),
        ("rocm/k8s-device-plugin:1.31.0.8", "kubernetes.io/arch: amd64", False),
        ("rocm/k8s-device-plugin:1.31.0.8", "kubernetes.io/os: linux", False),
        ("rayproject/ray:2.46.0-py311-aarch64", "kubernetes.io/arch: arm64", False),
        ("example.com/k8s-device-plugin:1", "kubernetes.io/arch: arm64", False),
    ],
)
def test_images_of_one_architecture_in_pods_without_accelerators(
    image: str, selector: str, is_reported: bool
) -> None:
    text = PLUGIN.replace("IMAGE", image).replace("SELECTOR", selector)
    rules = [one.rule.code for one in raised(text) if one.rule.code == "GPU209"]
    assert rules == (["GPU209"] if is_reported else [])
