"""GPU748, GPU749, GPU750 and GPU967: beyond what their pages show."""

import json

import pytest

from tests.lint.pages import raised

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: chat, namespace: ml}
spec:
  containers:
    - name: main
      image: IMAGE
      LINE
      resources: {limits: {nvidia.com/gpu: 1}}
"""
CODES = ("GPU748", "GPU749", "GPU750")
EPP = "registry.k8s.io/gateway-api-inference-extension/epp:v1.4.0"
VLLM = "vllm/vllm-openai:v0.11.0"
NEWEST = "vllm/vllm-openai:v0.33.0"


def said(image: str, line: str, codes: tuple[str, ...] = CODES) -> list[tuple[str, str, str]]:
    found = raised(POD.replace("IMAGE", image).replace("LINE", line))
    return [
        (one.rule.code, one.finding().severity, one.found.message)
        for one in found
        if one.rule.code in codes
    ]


def script(text: str) -> str:
    return f"command: [bash, -c, {json.dumps(text)}]"


def member(name: str, value: object) -> str:
    transfer = {"kv_connector": "NixlConnector", "kv_role": "kv_both", name: value}
    return f"args: [/m, --kv-transfer-config, {json.dumps(json.dumps(transfer))}]"


@pytest.mark.parametrize(
    ("image", "line", "code", "severity", "words"),
    [
        (VLLM, "args: [--model, /m, --max-modle-len, '8']", "GPU748", "error", "vLLM 0.11.0 has no"),
        ("vllm/vllm-openai:v0.9.2", "args: [--shutdown-timeout, '8']", "GPU748", "error", "since 0.1"),
        ("vllm/vllm-openai:v0.19.0", "args: [--swap-space, '8']", "GPU748", "error", "no longer"),
        # Whose build it is nobody knows: a slip of the pen, and no more than a warning.
        ("mine/server:1", "command: [vllm, serve, /m, --max-modle-len, '8']", "GPU748", "warning", "known"),
        ("michaelf34/infinity:0.0.77", "args: [v2, --model-id, m, --dtype, half]", "GPU749", "error", "`half`"),
        ("nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.0", "command: [python3, -m, dynamo.vllm, --is-decode-worker]", "GPU748", "warning", "Dynamo's vLLM worker 1.5.0 no longer has `--is-decode-worker`"),
        ("mine/embed:1", "command: [infinity_emb, v2, --model-idd, m]", "GPU748", "warning", "known"),
        (VLLM, "args: [--dtype, bf16]", "GPU749", "error", "does not accept `bf16`"),
        (VLLM, "args: [--enable-prefix-caching=true]", "GPU749", "error", "accepts no value"),
        (VLLM, "args: [/m, --enable-prefix-caching, 'true']", "GPU749", "error", "accepts no value, but has `true`"),
        (VLLM, "command: [vllm, serve, /m, --enforce-eager, 'true']", "GPU749", "error", "has `true`"),
        ("vllm/vllm-openai:latest", "args: [/m, --enable-prefix-caching, 'true']", "GPU749", "warning", "has `true`"),
        # The model first, as the entrypoint takes it.
        (VLLM, "args: [/m, --dtype, bf16]", "GPU749", "error", "does not accept `bf16`"),
        (VLLM, "args: [--port]", "GPU749", "error", "`--port` has no value"),
        (VLLM, "args: [--enable-auto-tool-choice]", "GPU750", "error", "needs `--tool-call-parser`"),
        (VLLM, "args: [--enable-log-outputs]", "GPU750", "error", "needs `--enable-log-requests`"),
        (VLLM, script("set -e\nvllm serve /m \\\n  --dtype 'bf16' 2>&1 | tee /log"), "GPU749", "error", "bf16"),
        (EPP, "args: [--secure-serving, 'false']", "GPU749", "warning", "only after `=`"),
        (EPP, "args: [--secure-serving=no]", "GPU749", "error", "does not accept `no`"),
        (EPP, "args: [-poolName, x]", "GPU748", "error", "no longer"),
        (EPP, "args: [-pool-name, x]", "GPU748", "error", "no longer"),
        ("pytorch/pytorch:2.9.1-cuda12.8-cudnn9-devel", "command: [torchrun, --nprocs=8, a.py]", "GPU748", "error", "--nprocs"),
        ("openmmlab/lmdeploy:v0.10.2", "command: [lmdeploy, serve, api_server, /m, --tensor-parallel-size, '2']", "GPU748", "error", "LMDeploy 0.10.2 has no"),
        ("openmmlab/lmdeploy:v0.15.0", "command: [lmdeploy, serve, api_server, /m, --enable-metrics]", "GPU748", "error", "no longer"),
        ("ghcr.io/ggml-org/llama.cpp:server-cuda-b9592", "args: [-m, /m.gguf, --ctx-size=8192]", "GPU749", "warning", "not after `=`"),
        ("ghcr.io/ggml-org/llama.cpp:server-cuda-b9592", "args: [-m, /m.gguf, --metrics, 'true']", "GPU749", "warning", "has `true`"),
        ("mine/llama:1", "command: [/app/llama-server, --ctxsize, '8192']", "GPU748", "warning", "--ctxsize"),
        ("mine/llama:1", "command: [/app/llama-server, -c, 8k]", "GPU749", "warning", "whole number"),
        ("nvcr.io/nvidia/tritonserver:25.06-py3", "command: [tritonserver, --model-store=/m, --strict-readyness=true]", "GPU748", "error", "--strict-readyness"),
        ("nvcr.io/nvidia/tritonserver:24.08-py3", "args: [tritonserver, --model-repository=/m, --allow-http=yes]", "GPU749", "error", "`yes`"),
        ("nvcr.io/nvidia/tritonserver:24.08-py3", "args: [tritonserver, --http-max-input-size, '1']", "GPU748", "error", "since 25.06"),
        ("nvcr.io/nvidia/tritonserver:25.06-py3", "args: [tritonserver, --load-model=a, --model-control-mode=poll]", "GPU750", "error", "needs `--model-control-mode=explicit`"),
        ("nvcr.io/nvidia/tritonserver:25.06-py3", "args: [tritonserver, --cache-config=local, --response-cache-byte-size=9]", "GPU750", "error", "cannot be used with"),
        (VLLM, "args: [/m, --lora-modules, a=/a]", "GPU750", "error", "needs `--enable-lora`"),
        (VLLM, script('vllm serve /m --kv-transfer-config \'{"kv_connector": "PyNcclConnector", "kv_role": "kv_both"}\''), "GPU749", "error", "does not accept `PyNcclConnector`"),
        (NEWEST, "args: [/m, --gpu-memory-utilization, '90']", "GPU749", "error", "above 0 and up to 1"),
        (NEWEST, "args: [/m, --max-num-seqs=0]", "GPU749", "error", "at least 1"),
        (NEWEST, "args: [/m, --quantization, bitsandbyte]", "GPU749", "error", "does not accept `bitsandbyte`"),
        (NEWEST, "args: [/m, --quantization, gguf]", "GPU749", "error", "does not accept `gguf`"),
        (NEWEST, "args: [/m, --reasoning-parser, deepseek-r1]", "GPU749", "error", "does not accept `deepseek-r1`"),
        (NEWEST, "args: [/m, --kv-transfer-config.kv_role, kv_prefill]", "GPU749", "error", "does not accept `kv_prefill`"),
        (NEWEST, member("kv_rank", 0), "GPU749", "error", "`kv_rank` of `--kv-transfer-config` does not exist in vLLM 0.33.0"),
        (NEWEST, member("kv_port", "a"), "GPU749", "error", "whole number"),
        (NEWEST, member("enable_permute_local_kv", "perhaps"), "GPU749", "error", "`true` or `false`"),
        (NEWEST, member("engine_id", 7), "GPU749", "error", "a text"),
        (NEWEST, "args: [/m, --kv-transfer-config.kv_connector, NixlConnector]", "GPU750", "error", "needs `kv_role`"),
        (NEWEST, "args: [/m, --enable-eplb, -tp, '2']", "GPU750", "error", "needs `--enable-expert-parallel`"),
        (NEWEST, "args: [/m, --nnodes, '2', -tp, '4', --node-rank, '2']", "GPU750", "error", "below `--nnodes`, which is 2"),
        (NEWEST, "args: [/m, --nnodes, '2', -tp, '3']", "GPU750", "error", "must divide the product"),
        (NEWEST, "args: [/m, --max-num-batched-tokens, '64', --max-num-seqs, '256']", "GPU750", "error", "below `--max-num-seqs`"),
        ("nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.6.1", "command: [python3, -m, dynamo.vllm, --model, /m, --enable-eplb, -tp, '2']", "GPU750", "warning", "needs `--enable-expert-parallel`"),
        ("mine/train:1", script("accelerate launch --num-procs 8 train.py --lr 1"), "GPU748", "warning", "--num-procs"),
        ("mine/train:1", script("accelerate launch --config /c.yaml --num-procs 8 train.py"), "GPU748", "warning", "--num-procs"),
        ("mine/train:1", script("accelerate launch --mixed_precision bfloat16 train.py"), "GPU749", "warning", "bfloat16"),
        ("mine/train:1", script("deepspeed --num_gpus=all train.py --deepspeed ds.json"), "GPU749", "warning", "whole number"),
    ],
)  # fmt: skip
def test_what_a_program_ends_at(
    image: str, line: str, code: str, severity: str, words: str
) -> None:
    ((found, level, message),) = said(image, line)
    assert (found, level) == (code, severity)
    assert words in message


def test_an_option_is_proposed_in_the_form_that_every_release_takes() -> None:
    """Accelerate takes dashes since 0.28."""
    line = script("accelerate launch --num-proceses 8 train.py")
    found = raised(POD.replace("IMAGE", "mine/train:1").replace("LINE", line))
    (note,) = (one.found.note for one in found if one.rule.code == "GPU748")
    assert note == "did you mean `--num_processes`?"


@pytest.mark.parametrize(
    ("image", "line"),
    [
        (VLLM, "args: [--model, /m, --max_model_len=8192, --served-model-name, a, b]"),
        (VLLM, "args: [--model, /m, --dtype, $(DTYPE), $(MORE)]"),
        (VLLM, "args: [--model, /m, --enable-auto-tool-choice, $(MORE)]"),
        (VLLM, "args: [--config, /c.yaml, --enable-auto-tool-choice]"),
        # Numbers that a release takes, members as texts, and what a later word may add.
        (NEWEST, "args: [/m, --gpu-memory-utilization=0.9, --max-model-len=auto, --max-num-batched-tokens, 8k, --max-num-seqs, '9000']"),
        (NEWEST, member("kv_port", "14579")),
        (NEWEST, member("enable_permute_local_kv", "yes")),
        (NEWEST, member("engine_id", "$(POD_NAME)")),
        (NEWEST, "args: [/m, --kv-transfer-config.kv_connector, NixlConnector, $(MORE)]"),
        (NEWEST, "args: [/m, --kv-transfer-config, '{{ .Values.transfer }}']"),
        (NEWEST, "args: [/m, --enable-eplb, --enable-expert-parallel, -tp, '2', --nnodes, '2', --node-rank, $(RANK)]"),
        (NEWEST, "args: [/m, --quantization, FP8, --attention-backend, flashinfer, --tool-call-parser, mine]"),
        # A plugin of the program knows more names, an older release more members.
        (NEWEST, script("pip install vllm-gguf-plugin && vllm serve /m --load-format gguf")),
        (VLLM, member("kv_rank", 0)),
        ("mine/server:1", "command: [vllm, serve, /m, --quantization, ours, --enable-eplb]"),
        # Releases before looked at neither.
        ("vllm/vllm-openai:v0.6.1", "args: [--enable-auto-tool-choice]"),
        ("vllm/vllm-openai:latest", "args: [--enable-auto-tool-choice]"),
        # An unknown build may have what no release has.
        ("mine/server:1", "command: [vllm, serve, /m, --our-own-thing, x]"),
        # A plugin's options are its own.
        (VLLM, "command: [vllm, serve, /m, --omni, --stage-configs-path, x]"),
        # So are those of the server of diffusion models.
        ("lmsysorg/sglang:v0.5.20", "command: [sglang, serve, --model-path=/m, --num-gpus=2, --of-its-own]"),
        # Another program of the same image, a here-document, and what a shell puts together.
        (VLLM, "command: [vllm, bench, serve, --nothing-of-ours]"),
        (VLLM, script("cat > run.sh <<EOF\nvllm serve /m --max-modle-len 1\nEOF\n")),
        (VLLM, script("vllm serve /m --kv-transfer-config '{\"kv_connector\": \"X\"}' ${ARGS}")),
        ("pytorch/pytorch:2.8.0", script("exec torchrun --nnodes=2 --node-rank=$RANK --nproc-per-node=$((4*2)) a.py")),
        (VLLM, script("vllm serve /m && other --max-modle-len 1")),
        # The number of a stream that goes elsewhere is no word.
        (VLLM, script("vllm serve /m --enable-prefix-caching 2>&1 | tee /log")),
        (VLLM, script("vllm serve /m --enable-prefix-caching 2>/log")),
        # Its entrypoint takes no word in front of options: another rule's.
        ("ghcr.io/huggingface/text-generation-inference:3.3.5", "args: [other, --max-modle-len]"),
        # The script's own options.
        ("pytorch/pytorch:2.9.1-cuda12.8-cudnn9-devel", "command: [torchrun, --nproc-per-node, '8', a.py, --nprocs]"),
        ("mine/train:1", script("accelerate launch --num_processes=8 --main_process_ip $HEAD train.py --lr 1 --num-procs 2")),
        # Releases before 0.18 take `--config` for `--config_file`.
        ("mine/train:1", script("accelerate launch --config /c.yaml --num_processes 8 train.py")),
        ("mine/train:1", script("pip install deepspeed --no-build-isolation && deepspeed --num_gpus 8 --hostfile /etc/mpi/hostfile train.py --deepspeed --x y")),
        ("ghcr.io/ggml-org/llama.cpp:server-cuda-b9592", "args: [-m, /m.gguf, -c, '8192', -ngl, all, -fa, 'on', --no_mmap, --host, 0.0.0.0, -np, '4']"),
        ("nvcr.io/nvidia/tritonserver:25.06-py3", "args: [tritonserver, --model-store, /m, --load-model=*, --model-control-mode, EXPLICIT, --log-verbose=1, --exit-on-error=FALSE]"),
        ("nvcr.io/nvidia/tritonserver:25.06-py3", "args: [tritonserver, --load-model=$(M), --model-control-mode=$(MODE)]"),
        (VLLM, script('vllm serve /m --kv-transfer-config \'{"kv_connector": "LMCacheConnectorV1", "kv_role": "kv_both"}\'')),
        (VLLM, script('vllm serve /m --kv-transfer-config \'{"kv_connector": "PyNcclConnector", "kv_role": "kv_both", "kv_connector_module_path": "ours"}\'')),
        ("vllm/vllm-openai:v0.8.5", script('vllm serve /m --kv-transfer-config \'{"kv_connector": "PyNcclConnector", "kv_role": "kv_both"}\'')),
        ("lmcache/vllm-openai:v0.3.5", script('vllm serve /m --kv-transfer-config \'{"kv_connector": "PyNcclConnector", "kv_role": "kv_both"}\'')),
        ("mine/train:1", script("echo starting deepspeed --quickly")),
        ("openmmlab/lmdeploy:v0.16.0-cu12", "command: [lmdeploy, serve, api_server, /m, --tp, '2', --cache_max_entry_count=0.8]"),
    ],
)  # fmt: skip
def test_what_is_right_or_cannot_be_known(image: str, line: str) -> None:
    assert said(image, line) == []


NIM = "nvcr.io/nim/meta/llama-3.1-8b-instruct:2.0.1"
TORCH = "pytorch/pytorch:2.9.1-cuda12.8-cudnn9-devel"
TGI = "ghcr.io/huggingface/text-generation-inference:3.1.0"


@pytest.mark.parametrize(
    ("image", "line", "code", "severity", "words"),
    [
        (NIM, "env: [{name: NIM_PASSTHROUGH_ARGS, value: --max-modle-len 4096}]", "GPU748", "warning", "no known release of vLLM"),
        (NIM, "env: [{name: NIM_PASSTHROUGH_ARGS, value: --max-num-seqs=lots}]", "GPU749", "warning", "`lots` is not one"),
        (NIM, "env: [{name: SEQS, value: lots}, {name: NIM_PASSTHROUGH_ARGS, value: --max-num-seqs $(SEQS)}]", "GPU749", "warning", "`lots` is not one"),
        (TGI, "env: [{name: MAX_INPUT_TOKENS, value: 4k}]", "GPU749", "error", "`MAX_INPUT_TOKENS` needs a whole number"),
        (TGI, "env: [{name: QUANTIZE, value: int8}]", "GPU749", "error", "`QUANTIZE` does not accept `int8`"),
        ("ghcr.io/huggingface/text-embeddings-inference:1.7.0", "env: [{name: MAX_BATCH_TOKENS, value: many}]", "GPU749", "error", "`MAX_BATCH_TOKENS`"),
        (TORCH, "command: [torchrun, a.py]\nenv: [{name: PET_STANDALONE, value: 'true'}]", "GPU749", "error", "`PET_STANDALONE` needs a whole number"),
        (TORCH, "command: [torchrun, --standalone, a.py]\nenv: [{name: PET_STANDALONE, value: 'yes'}]", "GPU749", "error", "`PET_STANDALONE`"),
        (VLLM, script("vllm serve /m $MORE") + "\nenv: [{name: MORE, value: --dtype bf16}]", "GPU749", "error", "does not accept `bf16`"),
        (VLLM, "args: [/m, --dtype, $(TYPE)]\nenv: [{name: TYPE, value: bf16}]", "GPU749", "error", "does not accept `bf16`"),
    ],
)  # fmt: skip
def test_variables_that_carry_options(
    image: str, line: str, code: str, severity: str, words: str
) -> None:
    (one,) = said(image, line.replace("\n", "\n      "))
    assert one[:2] == (code, severity)
    assert words in one[2]


@pytest.mark.parametrize(
    ("image", "line"),
    [
        (NIM, "env: [{name: NIM_PASSTHROUGH_ARGS, value: --max-model-len 4096 --seed 1}]"),
        # Which words they are is not told.
        (NIM, "env: [{name: NIM_PASSTHROUGH_ARGS, valueFrom: {configMapKeyRef: {name: a, key: b}}}]"),
        (NIM, "env: [{name: NIM_PASSTHROUGH_ARGS, value: --max-num-seqs $(SEQS)}]"),
        (NIM, "env: [{name: NIM_PASSTHROUGH_ARGS, value: '--seed \"1'}]"),
        # Another engine's options.
        ("nvcr.io/nim/nvidia/sglang-model-free-nim:2.0.1", "env: [{name: NIM_PASSTHROUGH_ARGS, value: --max-modle-len 1}]"),
        ("mine/server:1", "env: [{name: NIM_PASSTHROUGH_ARGS, value: --max-modle-len 4096}]"),
        # A line wins over the variable, which is not read then.
        (TGI, "args: [--max-input-tokens, '8']\nenv: [{name: MAX_INPUT_TOKENS, value: 4k}]"),
        (TGI, "env: [{name: MAX_INPUT_TOKENS, value: '4096'}, {name: PORT, value: '80'}]"),
        (TGI, "command: [python, own.py]\nenv: [{name: MAX_INPUT_TOKENS, value: 4k}]"),
        # Not torchrun's.
        (TORCH, "command: [python, a.py]\nenv: [{name: PET_STANDALONE, value: 'true'}]"),
        (TORCH, "command: [torchrun, a.py]\nenv: [{name: PET_NNODES, value: '1:4'}, {name: PET_STANDALONE, value: '1'}]"),
        # The script sets it itself; quotes make it one word; the shell reads the quotes again.
        (VLLM, script("MORE='--seed 1'; vllm serve /m $MORE") + "\nenv: [{name: MORE, value: --dtype bf16}]"),
        (VLLM, script('vllm serve /m "$MORE"') + "\nenv: [{name: MORE, value: --dtype bf16}]"),
        (VLLM, script("vllm serve /m $MORE") + "\nenv: [{name: MORE, value: --dtype 'bf16'}]"),
        # Without a shell nobody fills it in but the kubelet.
        (VLLM, "args: [/m, --dtype, $TYPE]\nenv: [{name: TYPE, value: bf16}]"),
    ],
)  # fmt: skip
def test_variables_that_are_not_read_or_not_known(image: str, line: str) -> None:
    assert not said(image, line.replace("\n", "\n      "))


def test_a_variable_of_kserve_reaches_its_own_command() -> None:
    text = """\
apiVersion: serving.kserve.io/v1alpha1
kind: LLMInferenceService
metadata: {name: chat, namespace: ml}
spec:
  model: {uri: "hf://Qwen/Qwen3-8B", name: Qwen/Qwen3-8B}
  template:
    containers:
      - name: main
        env: [{name: VLLM_ADDITIONAL_ARGS, value: --gpu-memory-utilization=high}]
        resources: {limits: {nvidia.com/gpu: 1}}
"""
    assert [one.rule.code for one in raised(text) if one.rule.code in CODES] == ["GPU749"]
    own = text.replace("- name: main", "- name: main\n        command: [serve]")
    assert not [one for one in raised(own) if one.rule.code in CODES]


SGLANG = "lmsysorg/sglang:v0.5.20"


@pytest.mark.parametrize(
    ("image", "line", "words"),
    [
        (SGLANG, "command: [sglang, serve, --model-path=/m, --enable-priority-scheduling, --schedule-policy=lpm]", "`--schedule-policy`"),
        (SGLANG, "command: [sglang, serve, --model-path=/m, --disable-radix-cache, --enable-hierarchical-cache]", "cannot be combined"),
        (SGLANG, "command: [sglang, serve, --model-path=/m, --ssl-keyfile=/k]", "needs `--ssl-certfile`"),
        (SGLANG, "command: [sglang, serve, --model-path=/m, --max-loras-per-batch=0]", "at least 1"),
        (SGLANG, "command: [sglang, serve, --model-path=/m, --ssl-keyfile=/k, --ssl-certfile=/c]", None),
        (SGLANG, "command: [sglang, serve, --model-path=/m, --enable-priority-scheduling, --schedule-policy=fcfs]", None),
        (SGLANG, "command: [sglang, serve, --model-path=/m, --tp=8, --dp=2, --attention-backend=fa3, --speculative-algorithm=EAGLE, --speculative-num-steps=3, --speculative-eagle-topk=1, --speculative-num-draft-tokens=4, --mem-fraction-static=0.9]", None),
        ("ghcr.io/huggingface/text-generation-inference:3.1.0", "args: [--model-id=/m, --max-input-tokens=4096, --max-total-tokens=2048]", "less than"),
        ("ghcr.io/huggingface/text-generation-inference:3.1.0", "args: [--model-id=/m, --max-input-tokens=2048, --max-total-tokens=4096]", None),
        ("ghcr.io/huggingface/text-embeddings-inference:1.9.0", "args: [--model-id=/m, --default-prompt=a, --default-prompt-name=b]", "cannot be combined"),
        ("nvcr.io/nvidia/tritonserver:25.06-py3", "args: [tritonserver, --model-store=/m, --grpc-infer-thread-count=1]", "at least 2"),
    ],
)  # fmt: skip
def test_settings_that_other_servers_refuse(image: str, line: str, words: str | None) -> None:
    found = [message for code, _, message in said(image, line) if code == "GPU750"]
    assert len(found) == (words is not None)
    assert all((words or "") in message for message in found)


RAY = "rayproject/ray:2.54.1"


@pytest.mark.parametrize(
    ("image", "line", "words"),
    [
        # A later release accepts it.
        (SGLANG, "command: [sglang, serve, --model-path=/m, --speculative-algorithm=EAGLE, --pp-size=2]", "cannot be combined"),
        ("lmsysorg/sglang:v0.5.23", "command: [sglang, serve, --model-path=/m, --speculative-algorithm=EAGLE, --pp-size=2]", None),
        ("lmsysorg/sglang:v0.6.9", "command: [sglang, serve, --model-path=/m, --speculative-algorithm=EAGLE, --pp-size=2]", None),
        ("vllm/vllm-openai:v0.12.0", "args: [/m, --kv-offloading-backend=native]", "needs `--kv-offloading-size`"),
        # From variables, and of both.
        (TGI, "args: [--max-total-tokens=2048]\nenv: [{name: MAX_INPUT_TOKENS, value: '4096'}]", "less than `MAX_INPUT_TOKENS`"),
        (TGI, "env: [{name: MAX_TOTAL_TOKENS, value: '2048'}, {name: MAX_INPUT_TOKENS, value: '4096'}]", "`MAX_TOTAL_TOKENS 2048` is less"),
        (TGI, "args: [--max-total-tokens=8192]\nenv: [{name: MAX_TOTAL_TOKENS, value: '2048'}, {name: MAX_INPUT_TOKENS, value: '4096'}]", None),
        (TGI, "env: [{name: MAX_TOTAL_TOKENS, valueFrom: {fieldRef: {fieldPath: metadata.name}}}, {name: MAX_INPUT_TOKENS, value: '4096'}]", None),
        (TGI, "command: [python, own.py]\nenv: [{name: MAX_TOTAL_TOKENS, value: '2048'}, {name: MAX_INPUT_TOKENS, value: '4096'}]", None),
        ("deep/speed:1", "command: [deepspeed, --include, localhost:0, --num_gpus, '2', a.py]", "cannot be combined"),
        ("own/image:1", "command: [accelerate, launch, --multi_gpu, --use_fsdp, a.py]", "cannot be combined"),
        ("own/image:1", "command: [accelerate, launch, --use_fsdp, --num_processes, '1', a.py]", None),
        (TORCH, "command: [torchrun, -m, --no-python, a.py]", "cannot be combined"),
        (RAY, "command: [ray, start, --address=a:6379, --port=6379]", "needs `--head`"),
        (RAY, "command: [ray, start, --block]", "neither `--head` nor `--address`"),
        (RAY, "command: [ray, start, --head, --block, --port=6379]", None),
        (RAY, "command: [bash, -c, 'ray start --block $MORE']", None),
    ],
)  # fmt: skip
def test_settings_of_some_releases_and_of_variables(
    image: str, line: str, words: str | None
) -> None:
    found = said(image, line.replace("\n", "\n      "))
    messages = [message for code, _, message in found if code == "GPU750"]
    assert len(messages) == (words is not None)
    assert all((words or "") in message for message in messages)


@pytest.mark.parametrize(
    ("image", "line", "severity", "words"),
    [
        (SGLANG, "command: [sglang, serve, --model-path=/m, --skip-tokenizer-init]", "info", "structured output|grammar"),
        (NEWEST, "args: [/m, --tool-call-parser, hermes]", "warning", "without `--enable-auto-tool-choice`"),
        (NEWEST, "args: [/m, --kv-events-config, '{\"publisher\": \"zmq\"}']", "warning", "no KV cache events"),
        (NEWEST, "args: [/m, --kv-cache-memory-bytes=9G, --gpu-memory-utilization=0.9]", "info", "ignores `--gpu-memory-utilization`"),
        (TORCH, "command: [torchrun, --standalone, a.py]\nenv: [{name: PET_NNODES, value: '2'}]", "warning", "waits for 2 nodes"),
        (RAY, "command: [ray, start, --address=a:6379, --temp-dir=/t]", "warning", "ignores `--temp-dir`"),
        (NEWEST, "args: [/m, --tool-call-parser, hermes, --enable-auto-tool-choice]", None, ""),
        # The file may have it.
        (NEWEST, "args: [/m, --tool-call-parser, hermes, --config, /c.yaml]", None, ""),
        (NEWEST, "args: [/m, --kv-events-config, '{\"publisher\": \"zmq\", \"enable_kv_cache_events\": true}']", None, ""),
        (NEWEST, "args: [/m, --kv-events-config, $(EVENTS)]", None, ""),
        (TORCH, "command: [torchrun, --standalone, --nnodes=1, a.py]", None, ""),
    ],
)  # fmt: skip
def test_what_a_program_ignores(image: str, line: str, severity: str | None, words: str) -> None:
    found = said(image, line.replace("\n", "\n      "), ("GPU967",))
    assert [one[1] for one in found] == ([] if severity is None else [severity])
    assert all(any(word in one[2] for word in words.split("|")) for one in found)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("args: [-m, /m, -sm, rows]", "`-sm` does not accept `rows`"),
        ("args: [-m, /m, --prio, '9']", "from -1 and up to 3"),
        ("args: [-m, /m]\nenv: [{name: LLAMA_ARG_CACHE_TYPE_K, value: q9}]", "`LLAMA_ARG_CACHE_TYPE_K` does not accept"),
        ("args: [-m, /m, -sm, tensor, -ctk, q8_0]\nenv: [{name: LLAMA_ARG_CTX_SIZE, value: 8k}]", None),
    ],
)  # fmt: skip
def test_values_of_llama_cpp(line: str, words: str | None) -> None:
    found = said("ghcr.io/ggml-org/llama.cpp:server-cuda-b10645", line.replace("\n", "\n      "))
    assert len(found) == (words is not None)
    assert all((words or "") in one[2] for one in found)
