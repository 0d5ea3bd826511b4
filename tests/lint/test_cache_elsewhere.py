"""GPU917 and GPU918: where downloads land, beyond what their pages show."""

import pytest

from gpuspec.lint.raised import RaisedFinding
from tests.lint.pages import raised

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: chat, namespace: ml}
spec:
  containers:
    - name: main
      image: IMAGE
      args: [ARGS]
      env: [ENV]
      resources: {limits: {nvidia.com/gpu: 1DISK}}
      volumeMounts: [{name: cache, mountPath: /data}]
  volumes: [{name: cache, VOLUME}]
"""
VLLM = "vllm/vllm-openai:v0.11.0"
TGI = "ghcr.io/huggingface/text-generation-inference:3.1.0"
LMDEPLOY = "openmmlab/lmdeploy:v0.9.2"
TRTLLM = "nvcr.io/nvidia/tensorrt-llm/release:1.0.0"
CLAIM = "persistentVolumeClaim: {claimName: weights}"
MODEL = "--model, meta-llama/Llama-3.1-8B"


def said(
    code: str,
    image: str = VLLM,
    args: str = MODEL,
    env: str = "",
    volume: str = CLAIM,
    disk: str = "",
) -> list[RaisedFinding]:
    made = POD.replace("IMAGE", image).replace("ARGS", args).replace("ENV", env)
    made = made.replace("VOLUME", volume).replace("DISK", disk)
    return [one for one in raised(made) if one.rule.code == code]


def test_a_claim_beside_the_cache() -> None:
    (one,) = said("GPU917")
    assert "to `/root/.cache/huggingface`, not to the volume at `/data`" in one.found.message
    assert one.found.fix is not None
    assert one.found.fix.changes[0].value == {"name": "HF_HOME", "value": "/data"}  # type: ignore[union-attr]


OWN_DISK = "ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce]}}}"
GOOGLE = (
    "us-docker.pkg.dev/deeplearning-platform-release/gcr.io/"
    "huggingface-text-generation-inference-cu124.2-3.ubuntu2204.py311:m127"
)


def test_a_disk_of_the_pods_own_beside_the_cache() -> None:
    (one,) = said("GPU917", volume=OWN_DISK)
    assert "the node's own disk fills up, while the volume stays empty" in one.found.message
    assert not said("GPU917", env="{name: HF_HOME, value: /data}", volume=OWN_DISK)


def test_an_image_may_move_its_cache() -> None:
    args = "--model-id, meta-llama/Llama-3.1-8B"
    (one,) = said("GPU917", image=GOOGLE, args=args, volume=OWN_DISK)
    assert "to `/tmp/hub`" in one.found.message
    assert not said("GPU917", image=TGI, args=args, volume=OWN_DISK)
    assert not said(
        "GPU917", image=GOOGLE, args=args, env="{name: HF_HOME, value: /data}", volume=OWN_DISK
    )


@pytest.mark.parametrize(
    "given",
    [
        {"env": "{name: HF_HOME, value: /data}"},
        {"env": "{name: HF_HUB_CACHE, value: /data/hub}"},
        {"env": "{name: HOME, value: /data}"},
        {"env": "{name: HF_HOME, valueFrom: {configMapKeyRef: {name: a, key: b}}}"},
        {"args": f"{MODEL}, --download-dir, /data"},
        {"args": f"{MODEL}, --chat-template, /data/chat.jinja"},
        {"args": "--model, /data/llama"},
        {"volume": "emptyDir: {}"},
        {"image": TGI, "args": "--model-id, meta-llama/Llama-3.1-8B"},
    ],
)
def test_what_lands_there_or_is_not_known(given: dict[str, str]) -> None:
    assert not said("GPU917", **given)


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"env": "{name: HF_HOME, value: /data}", "volume": "emptyDir: {sizeLimit: 10Gi}"}, "spec.volumes[0].emptyDir.sizeLimit"),
        ({"disk": ", ephemeral-storage: 10Gi"}, 'spec.containers[0].resources.limits["ephemeral-storage"]'),
        ({"disk": ", ephemeral-storage: 10Gi", "env": "{name: HF_HOME, value: /data}", "volume": "emptyDir: {}"}, 'spec.containers[0].resources.limits["ephemeral-storage"]'),
    ],
)  # fmt: skip
def test_a_bound_that_the_weights_go_over(given: dict[str, str], path: str) -> None:
    (one,) = said("GPU918", **given)
    assert one.finding().path == path
    assert "has 16.1 GB of weights" in one.found.message


@pytest.mark.parametrize(
    "given",
    [
        {"env": "{name: HF_HOME, value: /data}", "volume": "emptyDir: {sizeLimit: 20Gi}"},
        {"args": "--model, org/Llama-3.1-8B-AWQ", "disk": ", ephemeral-storage: 10Gi"},
        {"args": "--model, org/name", "disk": ", ephemeral-storage: 1Gi"},
        {"env": "{name: HF_HOME, value: /data}", "disk": ", ephemeral-storage: 1Gi"},
    ],
)
def test_a_bound_that_is_wide_enough_or_not_the_weights(given: dict[str, str]) -> None:
    assert not said("GPU918", **given)


@pytest.mark.parametrize(
    ("image", "args", "named"),
    [
        (VLLM, "meta-llama/Llama-3.1-8B, --port, '8000'", True),
        (VLLM, "vllm, serve, meta-llama/Llama-3.1-8B", True),
        (LMDEPLOY, "lmdeploy, serve, api_server, meta-llama/Llama-3.1-8B", True),
        (TRTLLM, "trtllm-serve, meta-llama/Llama-3.1-8B", True),
        # What is no server, or takes no model by its place.
        (VLLM, "vllm, bench, serve, meta-llama/Llama-3.1-8B", False),
        (VLLM, "--port, meta-llama/Llama-3.1-8B", False),
        (TRTLLM, "meta-llama/Llama-3.1-8B", False),
        (TGI, "meta-llama/Llama-3.1-8B", False),
    ],
)
def test_a_model_that_is_named_by_its_place(image: str, args: str, named: bool) -> None:
    found = said("GPU918", image, args, disk=", ephemeral-storage: 10Gi")
    assert len(found) == (1 if named else 0)
    assert bool(said("GPU905", image, args, volume="emptyDir: {}")) is named


def test_the_word_of_a_command_is_no_model() -> None:
    words = "--port, '8000']\n      command: [bin/llama-3.1-8B"
    assert not said("GPU918", args=words, disk=", ephemeral-storage: 10Gi")


OTHER = POD.replace("resources: {limits: {nvidia.com/gpu: 1DISK}}", "")


@pytest.mark.parametrize(
    ("env", "volume", "found"),
    [
        ("{name: MODEL_EXPRESS_CACHE_DIRECTORY, value: /app/cache}", CLAIM, True),
        ("{name: HF_HOME, value: /tmp/hf}", CLAIM, True),
        ("{name: TRANSFORMERS_CACHE, value: /data/hf}", CLAIM, False),
        ("{name: TRITON_CACHE_DIR, value: /tmp/triton}", CLAIM, False),
        ("{name: HF_HOME, value: relative}", CLAIM, False),
        ("{name: HF_HOME, value: /tmp/hf}, {name: OUT, value: /data/out}", CLAIM, False),
        ("{name: HF_HOME, value: /tmp/hf}", "emptyDir: {}", False),
    ],
)
def test_a_cache_that_a_variable_names(env: str, volume: str, found: bool) -> None:
    made = OTHER.replace("IMAGE", "example.com/model-server:1").replace("ARGS", "")
    made = made.replace("ENV", env).replace("VOLUME", volume)
    assert ("GPU917" in [one.rule.code for one in raised(made)]) is found


def test_a_claim_for_something_else_is_no_place_for_a_cache() -> None:
    made = OTHER.replace("IMAGE", "example.com/train:1").replace("ARGS", "")
    made = made.replace("ENV", "{name: HF_HOME, value: /tmp/hf}")
    made = made.replace("VOLUME", "persistentVolumeClaim: {claimName: dataset}")
    assert "GPU917" not in [
        one.rule.code for one in raised(made.replace("name: cache", "name: data"))
    ]


NIM = "nvcr.io/nim/meta/llama-3.1-8b-instruct:1.8.6"


@pytest.mark.parametrize(
    ("env", "folder"),
    [
        ("", "/opt/nim/.cache"),
        ("{name: NIM_CACHE_PATH, value: /model-store}", "/model-store"),
        ("{name: NIM_CACHE_PATH, value: /data}", None),
        # It loads what is mounted, or another model, which nobody knows.
        ("{name: NIM_MODEL_PATH, value: /data}", None),
        ("{name: NIM_FT_MODEL, value: /opt/model}", None),
        ("{name: NIM_DISABLE_MODEL_DOWNLOAD, value: '1'}", None),
    ],
)
def test_a_nim_downloads_the_model_that_its_image_is_for(env: str, folder: str | None) -> None:
    found = said("GPU917", NIM, "", env)
    assert [f"to `{folder}`, not to the volume" in one.found.message for one in found] == (
        [] if folder is None else [True]
    )


def test_a_nim_without_a_volume_downloads_its_model_at_each_start() -> None:
    (one,) = said("GPU905", NIM, "", volume="emptyDir: {}")
    assert "downloads the model that its image is for at each start" in one.found.message
