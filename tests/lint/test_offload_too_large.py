"""GPU922: how much of host memory servers are told to take, beyond what its page shows."""

import pytest

from tests.lint.pages import raised

POD = """apiVersion: v1
kind: Pod
metadata: {{name: server}}
spec:
  containers:
    - name: main
      image: {image}
      args: [{args}]
      env: [{env}]
      resources: {{limits: {{memory: 200Gi, nvidia.com/gpu: 4}}}}
"""
VLLM, SGLANG = "vllm/vllm-openai:v0.19.1", "lmsysorg/sglang:v0.5.9"


def said(image: str, args: str = "", env: str = "") -> list[str]:
    found = raised(POD.format(image=image, args=args, env=env))
    return [one.found.message for one in found if one.rule.code == "GPU922"]


def test_for_each_gpu() -> None:
    assert said(VLLM, "--model, m, --cpu-offload-gb, '60'") == [
        (
            "`--cpu-offload-gb 60` needs 60 GB of host memory for each of 4 GPUs, 240 GB in "
            "all, but the memory limit is 200Gi: vLLM is killed with exit code 137 "
            "when it reserves the memory"
        )
    ]


@pytest.mark.parametrize(
    ("image", "args", "count"),
    [
        (VLLM, "--cpu-offload-gb=50", 0),
        (VLLM, "--kv-offloading-size, '200'", 0),
        (VLLM, "--kv-offloading-size, '300'", 1),
        (VLLM, "--cpu-offload-gb, '$(SIZE)'", 0),
        (SGLANG, "--enable-hierarchical-cache, --hicache-size, '64'", 1),
        (SGLANG, "--enable-hierarchical-cache, --hicache-size, '32'", 0),
        (SGLANG, "--hicache-size, '64'", 0),
    ],
)
def test_what_options_say(image: str, args: str, count: int) -> None:
    assert len(said(image, args)) == count


def test_what_is_switched_off_takes_nothing() -> None:
    size = "{name: LMCACHE_MAX_LOCAL_CPU_SIZE, value: '200'}"
    assert len(said(VLLM, env=size)) == 1
    assert said(VLLM, env=size + ", {name: LMCACHE_LOCAL_CPU, value: 'False'}") == []


def test_the_cache_of_aibrix_is_for_each_process() -> None:
    size = "{name: AIBRIX_KV_CACHE_OL_L1_CACHE_CAPACITY_GB, value: '80'}"
    (message,) = said("registry.example.org/vllm-aibrix:0.8.5", "--model, m", size)
    assert "80 GiB of host memory for each of 4 GPUs, 320 GiB in all" in message
    off = size + ", {name: AIBRIX_KV_CACHE_OL_L1_CACHE_ENABLED, value: '0'}"
    assert said("registry.example.org/vllm-aibrix:0.8.5", "--model, m", off) == []


CONFIG = """
---
apiVersion: v1
kind: ConfigMap
metadata: {name: config}
data: {FILE: 'CONTENT'}
"""
MOUNT = """\
      volumeMounts: [{name: config, mountPath: /config}]
  volumes: [{name: config, configMap: {name: config}}]
"""


def said_of_file(image: str, args: str, env: str, file: str, content: str) -> list[str]:
    config = CONFIG.replace("FILE", file).replace("CONTENT", content)
    found = raised(POD.format(image=image, args=args, env=env) + MOUNT + config)
    return [one.found.message for one in found if one.rule.code == "GPU922"]


@pytest.mark.parametrize(
    ("content", "count"),
    [
        ("max_local_cpu_size: 100", 1),
        ("max_local_cpu_size: 20", 0),
        ("{local_cpu: false, max_local_cpu_size: 100}", 0),
        ("max_local_cpu_size: lots", 0),
    ],
)
def test_the_file_of_lmcache(content: str, count: int) -> None:
    env = "{name: LMCACHE_CONFIG_FILE, value: /config/lmcache.yaml}"
    assert len(said_of_file(VLLM, "--model, m", env, "lmcache.yaml", content)) == count


def test_the_file_of_tensorrt_llm_counts_bytes() -> None:
    args = "trtllm-serve, m, --extra_llm_api_options, /config/extra.yaml"
    image = "nvcr.io/nvidia/tensorrt-llm/release:1.0.0"
    large = "kv_cache_config: {host_cache_size: 429496729600}"
    [message] = said_of_file(image, args, "", "extra.yaml", large)
    assert message.startswith("`host_cache_size: 429496729600` of `extra.yaml` needs 429 GB")
    small = "kv_cache_config: {host_cache_size: 42949672960}"
    assert said_of_file(image, args, "", "extra.yaml", small) == []


def test_a_segment_of_mooncake_is_for_each_rank() -> None:
    env = "{name: MOONCAKE_CONFIG_PATH, value: /config/mooncake.json}"
    content = '{"global_segment_size": "100GB"}'
    [message] = said_of_file(VLLM, "--model, m", env, "mooncake.json", content)
    assert "needs 100 GB of host memory for each of 4 GPUs, 400 GB in all" in message


def transfer(size: int) -> str:
    extra = f'{{"cpu_bytes_to_use": {size}}}'
    whole = f'{{"kv_connector": "OffloadingConnector", "kv_connector_extra_config": {extra}}}'
    return f"--kv-transfer-config, '{whole}'"


@pytest.mark.parametrize(("size", "count"), [(400 * 10**9, 1), (100 * 10**9, 0)])
def test_the_member_of_an_option(size: int, count: int) -> None:
    assert len(said(VLLM, transfer(size))) == count


SHM = """\
      volumeMounts: [{name: shm, mountPath: /dev/shm}]
  volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: SIZE}}]
"""


@pytest.mark.parametrize(
    ("image", "shm", "words"),
    [
        ("vllm/vllm-openai:v0.28.0", "16Gi", "of `/dev/shm`, which has 16Gi"),
        ("vllm/vllm-openai:v0.28.0", "", "of `/dev/shm`, which has 64 MiB"),
        ("vllm/vllm-openai:v0.28.0", "64Gi", ""),
        ("vllm/vllm-openai:v0.19.1", "16Gi", ""),
        ("vllm/vllm-openai:latest", "16Gi", ""),
    ],
)
def test_new_releases_offload_to_shared_memory(image: str, shm: str, words: str) -> None:
    text = POD.format(image=image, args="--model, m, --kv-offloading-size, '40'", env="")
    text += SHM.replace("SIZE", shm) if shm else ""
    found = [one.found.message for one in raised(text) if one.rule.code == "GPU922"]
    assert [words in message for message in found] == ([True] if words else [])


@pytest.mark.parametrize(
    ("args", "tag", "limit", "words"),
    [
        ("", "server-cuda-b7500", "6Gi", "`--cache-ram`, unset, needs 8192 MiB"),
        (
            "--cache-ram, '40960'",
            "server-cuda-b7500",
            "16Gi",
            "`--cache-ram 40960` needs 40960 MiB",
        ),
        ("--cache-ram, '512'", "server-cuda-b7500", "6Gi", ""),
        ("--cache-ram, '0'", "server-cuda-b7500", "6Gi", ""),
        ("", "server-cuda-b7500", "16Gi", ""),
        ("", "server-cuda-b5000", "6Gi", ""),
    ],
)
def test_prompts_that_llama_cpp_keeps(args: str, tag: str, limit: str, words: str) -> None:
    image = f"ghcr.io/ggml-org/llama.cpp:{tag}"
    text = POD.format(image=image, args=args, env="").replace("200Gi", limit)
    found = [one.found.message for one in raised(text) if one.rule.code == "GPU922"]
    assert [words in message for message in found] == ([True] if words else [])


@pytest.mark.parametrize(
    ("folder", "more", "words"),
    [
        ("file:///cache", "", "the `ephemeral-storage` limit is 100Gi"),
        (
            "/cache/kv",
            "emptyDir: {sizeLimit: 50Gi}",
            "`sizeLimit` of the volume at `/cache` is 50Gi",
        ),
        ("/cache/kv", "persistentVolumeClaim: {claimName: cache}", ""),
    ],
)
def test_a_disk_for_each_gpu(folder: str, more: str, words: str) -> None:
    env = f"{{name: LMCACHE_LOCAL_DISK, value: '{folder}'}}, "
    env += "{name: LMCACHE_MAX_LOCAL_DISK_SIZE, value: '60'}"
    text = POD.format(image=VLLM, args="--model, m", env=env)
    text = text.replace("memory: 200Gi", "memory: 200Gi, ephemeral-storage: 100Gi")
    if more:
        text += "      volumeMounts: [{name: cache, mountPath: /cache}]\n"
        text += f"  volumes: [{{name: cache, {more}}}]\n"
    found = [one.found.message for one in raised(text) if one.rule.code == "GPU922"]
    assert [words in message for message in found] == ([True] if words else [])
