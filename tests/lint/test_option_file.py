"""GPU798: files of options in ConfigMaps, beyond what its page shows."""

import pytest

from gpuspec.lint.model import Finding
from tests.lint.patched import of
from tests.lint.plain import an, text

VLLM = "vllm/vllm-openai:v0.11.0"


def _said(content: str, *args: str, image: str = VLLM, key: str = "x.yaml") -> list[Finding]:
    config = an("v1", "ConfigMap", "options", data={key: content})
    one = {
        "name": "main",
        "image": image,
        "args": list(args) or ["/m", "--config", f"/etc/vllm/{key}"],
        "volumeMounts": [{"name": "c", "mountPath": "/etc/vllm"}],
        "resources": {"limits": {"nvidia.com/gpu": 1}},
    }
    spec = {"containers": [one], "volumes": [{"name": "c", "configMap": {"name": "options"}}]}
    return of("GPU798", text(config, an("v1", "Pod", "p", spec=spec)))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("max-modle-len: 8192", "vLLM 0.11.0 has no option `--max-modle-len`"),
        ("max_num_seqs: many", "needs a whole number, and `many` is not one"),
        ("swap-space: 4\nshutdown-timeout: 3", "has `--shutdown-timeout` since"),
        ("dtype: bf16", "does not accept `bf16`"),
    ],
)
def test_what_the_release_does_not_take(content: str, message: str) -> None:
    (found,) = _said(content)
    assert message in found.message
    assert "in `x.yaml` of ConfigMap `options`" in found.message
    assert found.severity == "error"


@pytest.mark.parametrize(
    "content",
    [
        "model: /models/m\nmax_model_len: 8192\ntensor-parallel-size: 1\nenforce-eager: true",
        "enable-prefix-caching: false\nserved-model-name: [a, b]\nport:",
        "compilation-config: {level: 3}",
        "max-model-len: ${LENGTH}",
        "no mapping",
        "max-model-len: true",
    ],
)
def test_what_it_takes_or_nobody_knows(content: str) -> None:
    assert _said(content) == []


def test_a_file_behind_an_equals_sign_is_not_read() -> None:
    (found,) = _said("max-modle-len: 1", "/m", "--config=/etc/vllm/x.yaml")
    assert "does not read" in found.message
    assert found.severity == "warning"


def test_a_file_has_to_be_called_yaml() -> None:
    (found,) = _said("port: 8000", "/m", "--config", "/etc/vllm/options")
    assert "accepts no other options file and exits at startup" in found.message


def test_a_file_that_is_elsewhere_is_not_known() -> None:
    assert _said("max-modle-len: 1", "/m", "--config", "/models/x.yaml") == []
    assert _said("max-modle-len: 1", "/m", "--config", "/etc/vllm/$NAME.yaml") == []


def test_sglang_knows_no_underscores() -> None:
    args = ("python3", "-m", "sglang.launch_server", "--config", "/etc/vllm/x.yaml")
    image = "lmsysorg/sglang:v0.5.9"
    (found,) = _said("model-path: m\ntp_size: 2", *args, image=image)
    assert "has no option `--tp_size`" in found.message
    assert _said("model-path: m\ntp-size: 2\nlog-requests: true", *args, image=image) == []


def test_keys_of_other_programs_are_no_options() -> None:
    args = ("trtllm-serve", "m", "--extra_llm_api_options", "/etc/vllm/x.yaml")
    image = "nvcr.io/nvidia/tensorrt-llm/release:1.0.0"
    assert _said("kv_cache_config: {dtype: fp8}", *args, image=image) == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "mpirun -n 4 trtllm-llmapi-launch trtllm-serve m --tp_size 8",
            "over 8, but `-n 4` starts 4",
        ),
        ("mpirun -n 8 trtllm-llmapi-launch trtllm-serve m --tp_size 4 --pp_size 2", ""),
        ("mpirun -n $N trtllm-llmapi-launch trtllm-serve m --tp_size 4", ""),
        ("mpirun -n 8 trtllm-llmapi-launch trtllm-serve m --tp_size 4 --config /c.yaml", ""),
        ("mpirun -n 8 trtllm-serve m --tp_size 4", ""),
    ],
)
def test_a_server_of_several_ranks_is_divided_over_all_of_them(line: str, said: str) -> None:
    one = {
        "name": "main",
        "image": "nvcr.io/nvidia/tensorrt-llm/release:1.2.0",
        "command": line.split(),
        "resources": {"limits": {"nvidia.com/gpu": 8}},
    }
    found = of("GPU731", text(an("v1", "Pod", "p", spec={"containers": [one]})))
    assert [said in one.message for one in found] == ([True] if said else [])


@pytest.mark.parametrize(
    ("image", "args", "content", "said"),
    [
        (VLLM, ["/m", "--config", "/c/x.yaml"], "tensor_parallel_size: 4", "needs 4 GPUs"),
        (VLLM, ["/m", "--config", "/c/x.yaml"], "tensor-parallel-size: 2", None),
        (VLLM, ["/m", "--config", "/c/x.yaml"], "max-model-len: 8192", "by default uses 1 of the 2 GPUs"),
        # Which of the two counts is another thing in each release.
        (VLLM, ["/m", "-tp", "2", "--tensor-parallel-size", "2", "--config", "/c/x.yaml"], "tensor-parallel-size: 4", None),
        (VLLM, ["/m", "-pp", "2", "--config", "/c/x.yaml"], "tensor-parallel-size: 2", "needs 4 GPUs"),
        ("nvcr.io/nvidia/tensorrt-llm/release:1.0.0", ["trtllm-serve", "m", "--extra_llm_api_options", "/c/x.yaml"], "tensor_parallel_size: 4", "needs 4 GPUs"),
        (VLLM, ["/m", "--config", "/models/x.yaml"], "tensor_parallel_size: 4", None),
    ],
)  # fmt: skip
def test_gpus_that_a_file_divides_the_model_over(
    image: str, args: list[str], content: str, said: str | None
) -> None:
    config = an("v1", "ConfigMap", "options", data={"x.yaml": content})
    one = {
        "name": "main",
        "image": image,
        "args": args,
        "volumeMounts": [{"name": "c", "mountPath": "/c"}],
        "resources": {"limits": {"nvidia.com/gpu": 2}},
    }
    spec = {"containers": [one], "volumes": [{"name": "c", "configMap": {"name": "options"}}]}
    found = of("GPU731", text(config, an("v1", "Pod", "p", spec=spec)))
    assert [one.message for one in found if said and said in one.message] == [
        one.message for one in found
    ]
    assert bool(found) == (said is not None)


TRT = "nvcr.io/nvidia/tensorrt-llm/release:1.1.0"
DYNAMO = "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.6.0"
SERVE = ("trtllm-serve", "m", "--extra_llm_api_options", "/etc/vllm/x.yaml")
WORKER = ("python3", "-m", "dynamo.trtllm", "--extra-engine-args", "/etc/vllm/x.yaml")


@pytest.mark.parametrize(
    ("image", "args", "content", "words"),
    [
        (TRT, SERVE, "use_cuda_graph: true", "no longer accepts this key since 1.0.0"),
        (TRT, SERVE, "cuda_graph_config: {padding_enabled: true}", "`cuda_graph_config.padding_enabled`"),
        (TRT, SERVE, "kv_cache_confg: {}", "does not know this key"),
        (TRT, SERVE, "moe_config: {backend: cutlass}", "accepts `CUTLASS`, not `cutlass`"),
        (DYNAMO, WORKER, "pytorch_backend_config: {}", "no longer accepts this key"),
    ],
)  # fmt: skip
def test_keys_of_tensorrt_llm(image: str, args: tuple[str, ...], content: str, words: str) -> None:
    (found,) = _said(content, *args, image=image)
    assert words in found.message
    assert found.severity == "warning"


@pytest.mark.parametrize(
    ("image", "args", "content"),
    [
        (TRT, SERVE, "cuda_graph_config: {enable_padding: true}\nkv_cache_config: {dtype: fp8}"),
        (TRT, SERVE, "something_else_entirely: 1"),
        # It was taken then; and of a newer release not every key is known.
        ("nvcr.io/nvidia/tensorrt-llm/release:0.20.0", SERVE, "use_cuda_graph: true"),
        ("nvcr.io/nvidia/tensorrt-llm/release:1.3.0", SERVE, "kv_cache_confg: {}"),
        (DYNAMO, WORKER, "moe_config: {backend: CUTLASS}"),
        ("mine/other:1", ("run", "--config", "/etc/vllm/x.yaml"), "use_cuda_graph: true"),
    ],
)
def test_keys_that_tensorrt_llm_may_take(image: str, args: tuple[str, ...], content: str) -> None:
    assert not _said(content, *args, image=image)


def test_of_an_image_of_ones_own_the_release_is_not_known() -> None:
    (found,) = _said("use_cuda_graph: true", *SERVE, image="mine/trt:1")
    assert found.severity == "info"


ROUTER = ("trtllm-serve", "disaggregated", "-c", "/etc/vllm/x.yaml")


@pytest.mark.parametrize(
    ("servers", "words"),
    [
        ("{urls: ['http://ctx:8001']}", "splits `http://ctx:8001` into a host and a port"),
        ("{num_instances: 1, urls: ['ctx']}", "splits `ctx` into a host and a port"),
        ("{urls: ['a:8001', 'b:8001']}", "2 addresses but 1 instance,"),
        ("{num_instances: 2, urls: ['a:8001']}", "1 address but 2 instances,"),
        ("{num_instances: 2, urls: ['a:8001', 'b:8001']}", ""),
        ("{num_instances: 2}", ""),
        ("{urls: ['$HOST:8001']}", ""),
    ],
)
def test_servers_of_a_router(servers: str, words: str) -> None:
    found = _said(f"context_servers: {servers}", *ROUTER, image=TRT)
    assert [words in one.message for one in found] == ([True] if words else [])
    assert not _said(
        f"disagg_cluster: {{cluster_uri: x}}\ncontext_servers: {servers}", *ROUTER, image=TRT
    )
