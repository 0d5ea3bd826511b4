"""Workload specs to render, and Helm values that ask for the same servers. All deterministic.

The specs differ in kind, runtime, model, GPUs and names, as those of a large organisation would;
none needs anything that the built-in profile does not have.
"""

import random
from dataclasses import dataclass
from pathlib import Path

IMAGE = "ghcr.io/example/{name}@sha256:{digest:064x}"

# Model, size of its weights, acceptable GPUs (spec name, label value) and how many one replica takes.
H100 = ("H100-80GB", "NVIDIA-H100-80GB-HBM3")
A100 = ("A100-80GB", "NVIDIA-A100-SXM4-80GB")
L40S = ("L40S", "NVIDIA-L40S")
H200 = ("H200", "NVIDIA-H200")
MODELS = [
    ("example/chat-8b", "16Gi", [L40S, A100], 1),
    ("example/code-32b", "64Gi", [H100, A100], 2),
    ("example/chat-70b", "140Gi", [H100], 4),
    ("example/moe-235b", "470Gi", [H200], 8),
]
RUNTIMES = ["vllm", "sglang"]
KINDS = ["Inference"] * 6 + ["Training"] * 2 + ["FineTune", "BatchInference"]


@dataclass(frozen=True, slots=True)
class Server:
    """One inference server, whoever writes it down."""

    name: str
    image: str
    runtime: str
    model: str
    revision: str
    size: str
    gpus: list[tuple[str, str]]
    count: int
    replicas: int
    port: int


def server(index: int) -> Server:
    """The server of one index; always the same one."""
    pick = random.Random(index)
    model, size, gpus, count = pick.choice(MODELS)
    runtime = pick.choice(RUNTIMES)
    return Server(
        name=f"server-{index:04d}",
        image=IMAGE.format(name=runtime, digest=pick.getrandbits(256)),
        runtime=runtime,
        model=model,
        revision=f"{pick.getrandbits(48):012x}",
        size=size,
        gpus=gpus,
        count=count,
        replicas=pick.randint(1, 6),
        port=pick.choice([8000, 8080, 9000]),
    )


def spec(index: int) -> str:
    """One spec document; its kind, too, follows from the index."""
    kind = KINDS[index % len(KINDS)]
    one = server(index)
    models = ", ".join(name for name, _ in one.gpus)
    head = f"""\
apiVersion: gpuspec.dev/v1alpha1
kind: {kind}
metadata:
  name: {kind.lower()}-{index:04d}
  namespace: team-{index % 17}
  labels: {{team: team-{index % 17}}}
spec:
  image: {one.image}
  gpu: {{models: [{models}], count: {one.count}}}
  owner: team-{index % 17}
"""
    model = f"""\
    id: {one.model}
    revision: "{one.revision}"
    size: {one.size}
    source: {{pvc: weights}}
"""
    return head + BODIES[kind].format(one=one, index=index, model=model)


BODIES = {
    "Inference": """\
  runtime: {one.runtime}
  model:
{model}\
  replicas: {one.replicas}
  expose: {{port: {one.port}}}
  env: {{LOG_LEVEL: info}}
""",
    "Training": """\
  command: [python, -m, train, --steps={index}]
  workers: {one.replicas}
  checkpoint: {{pvc: checkpoints, every: 30m}}
  duration: {{expected: 12h, max: 24h}}
  run: run-{index}
""",
    "FineTune": """\
  command: [python, -m, tune]
  baseModel:
{model}\
  method: lora
  dataset: {{pvc: datasets, path: set-{index}}}
  output: {{pvc: results}}
  duration: {{max: 8h}}
""",
    "BatchInference": """\
  command: [python, -m, score]
  model:
{model}\
  input: {{pvc: datasets, path: set-{index}}}
  output: {{pvc: results}}
  shards: {{count: {one.replicas}}}
  schedule: {{cron: "0 2 * * *"}}
  duration: {{max: 4h}}
""",
}


def values(indexes: range) -> str:
    """Values of the Helm chart beside this file, with one entry for each index."""
    return "servers:\n" + "".join(map(entry, indexes))


def entry(index: int) -> str:
    one = server(index)
    labels = ", ".join(label for _, label in one.gpus)
    return f"""\
  - name: {one.name}
    image: {one.image}
    model: {{id: {one.model}, revision: "{one.revision}", claim: weights}}
    gpu: {{models: [{labels}], count: {one.count}}}
    replicas: {one.replicas}
    port: {one.port}
    env: {{LOG_LEVEL: info}}
"""


def write(folder: Path, count: int) -> Path:
    """Write that many specs, one file each, into a folder made for them."""
    folder.mkdir(parents=True)
    for index in range(count):
        (folder / f"{index:04d}.yaml").write_text(spec(index))
    return folder
