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
            "`--cpu-offload-gb 60` takes 60 GB of host memory for each of 4 GPUs, 240 GB in "
            "all, but the memory limit is 200Gi: vLLM is killed with exit code 137 "
            "when it reserves this memory"
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
