"""Each field of the schema, set, changes the objects or is spoken of."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

import gpuspec
from tests.plan.conftest import BASE, Make, Values, cluster, pool

SHARED = {"mode": "time-slicing", "replicas": 4}
RDMA = {"resource": "rdma/ib", "perGpu": 1, "memlock": "unlimited"}
CHIPS = {"model": "TPU-v5e", "count": 8, "resource": "google.com/tpu"}
PROFILE = cluster(
    pool(localDisk={"path": "/mnt/nvme"}),
    pool("spot", capacity="spot"),
    pool("small", "L4", 4, sharing=SHARED),
    {"name": "tpu", "gpu": CHIPS},
    pool("elsewhere", zones=["z2"], region="r2"),
    installed={
        "appwrapper": "1.2",
        "gateway-api": "1.4",
        "jobset": "0.12",
        "kuberay": "1.6",
        "kueue": "0.19",
        "lws": "0.10",
        "mpi-operator": "0.8",
        "gpu-operator": "26.7",
    },
    gateway={"name": "public", "namespace": "gateway"},
    network={"ingress": [{"namespace": "gateway"}]},
    priorities={"names": {"batch": "low"}, "placeholder": "placeholder"},
    topology={
        "levels": [
            {"name": "block", "label": "example.com/block"},
            {"name": "rack", "label": "example.com/rack"},
        ]
    },
    queues=[
        {"name": "research", "namespaces": ["default"], "pools": [{"pool": "a100", "gpus": 64}]}
    ],
    metrics={"source": "custom-metrics"},
)
ROLE = {"name": "loader", "resources": {"cpu": 1, "memory": "1Gi"}}
HELPER = {"name": "own", "image": "ghcr.io/example/own:1"}
HUB: Values = {"id": "org/model", "size": "16Gi", "source": {"hub": {}}}
MOUNTED: Values = {"id": "org/model", "size": "16Gi", "source": {"pvc": "weights"}}
ON_NODE: Values = {"waivers": {"hostPath": "it is kept on the nodes"}}
GATED: Values = {"hub": {"id": "org/data", "tokenSecret": "hf"}}
ALTOGETHER: Values = {"target": "lws", "nodes": 2, "gpu": {"count": 8}}
PROBE = {"path": "/ready"}
ZERO = {"min": 0, "max": 3, "target": 7}
FOUR: Values = {"count": 4, "models": ["A100-80GB"]}
CHIP: Values = {"count": 8, "models": ["TPU-v5e"]}
# What has to stand beside a field for it to be of use; the longest beginning of its path counts.
BESIDE: Values = {
    "gpu": {"gpu": {"count": 4, "models": ["A100-80GB"]}},
    "gpu.topology": {"gpu": {"count": 8, "models": ["TPU-v5e"]}},
    "serviceAccountToken": {"serviceAccount": "watcher"},
    "user.mainUid": {"waivers": {"root": "the image has no other user"}},
    "mpi": {"target": "mpijob"},
    "mpiLauncher": {"target": "mpijob"},
    "mpiLauncher.resources.shm": {
        "target": "mpijob",
        "mpiLauncher": {"resources": {"memory": "4Gi"}},
    },
    "expose.through": {"sidecars": [{**HELPER, "ports": {"proxy": 9100}}]},
    "capabilities": {"waivers": {"root": "sshd is root", "capabilities": "it changes its user"}},
    "resources.memoryLimit": {"resources": {"memory": "64Gi"}},
    "caches": {"caches": {"pvc": "kept"}},
    "caches.hostPath": {"caches": {}, **ON_NODE},
    "caches.localDisk": {"caches": {}, **ON_NODE},
    "dataset": {"dataset": {"pvc": "data"}},
    "dataset.hub": {"dataset": {"hub": {"id": "org/data"}}},
    "input.hub": {"input": {"hub": {"id": "org/data"}}},
    **{f"{field}.hub.tokenKey": {field: GATED} for field in ("dataset", "input")},
    "metrics": {"metrics": {"port": 9400}},
    "checkpoint": {"checkpoint": {"pvc": "kept", "every": "1h"}},
    "output": {"output": {"pvc": "out"}},
    "input": {"input": {"pvc": "in"}},
    "topology": {"queue": "research", "workers": 2, "topology": {"level": "block"}},
    "shards": {"shards": {"count": 16}},
    "shards.minParallelism": {"shards": {"count": 16, "parallelism": 8}, "queue": "research"},
    "schedule": {"schedule": {"cron": "0 1 * * *"}},
    "replicas": {"replicas": {"min": 1, "max": 3}},
    "replicas.metric": {"replicas": {"min": 1, "max": 3, "target": 7}},
    "replicas.metricFrom": {"replicas": {"min": 1, "max": 3, "target": 7, "metric": "m"}},
    "replicas.metricFrom.object": {
        "replicas": {
            **{"min": 1, "max": 3, "target": 7, "metric": "m"},
            "metricFrom": {"object": {"kind": "Ingress", "name": "main"}},
        }
    },
    "replicas.metricFrom.query": {"replicas": {"min": 1, "max": 3, "target": 7}},
    "replicas.activation": {"replicas": {**ZERO, "metricFrom": {"query": "sum(asked)"}}},
    "availability": {"replicas": 2},
    "chatTemplate.key": {"chatTemplate": {"configMap": "chat"}},
    "parallelism": {"gpu": {"count": 4}},
    "probes.readiness": {"probes": {"readiness": PROBE}},
    "probes.startup": {"probes": {"startup": PROBE}},
    "probes.liveness": {"probes": {"liveness": PROBE}},
    "waivers.timeSlicing": {"gpu": {"memory": "4Gi"}},
    "model.source": {"model": {"id": "org/model", "source": {}}},
    "baseModel.source": {"baseModel": {"id": "org/model", "source": {}}},
    "model.source.hostPath": {"model": {"id": "org/model", "source": {}}, **ON_NODE},
    "baseModel.source.hostPath": {"baseModel": {"id": "org/model", "source": {}}, **ON_NODE},
    **{f"model.source.{field}": {"model": MOUNTED} for field in ("path", "mount")},
    **{f"baseModel.source.{field}": {"baseModel": MOUNTED} for field in ("path", "mount")},
    "model.source.hub": {"model": HUB},
    "baseModel.source.hub": {"baseModel": HUB},
    "model.size": {"model": {"id": "org/model"}},
    "model.revision": {"model": {"id": "org/model"}},
    "model.quantization": {"model": MOUNTED},
    "baseModel.quantization": {"baseModel": MOUNTED},
    "baseModel.size": {"baseModel": {"id": "org/model"}},
    "baseModel.revision": {"baseModel": {"id": "org/model"}},
    "method": {"baseModel": {"id": "org/model", "size": "100Gi"}},
    "dataset.image": {"dataset": {}},
    "input.image": {"input": {}},
    **{
        f"probes.{probe}.{way}": {}
        for probe in ("readiness", "startup", "liveness")
        for way in ("tcp", "grpc", "command")
    },
    "priority": {},
}
SERVED: Values = {
    "version": {"image": "vllm/vllm-openai@sha256:" + "0" * 64},
    "capacity": {"latency": "relaxed"},
    "serve": {"runtime": "ray", "target": "rayservice"},
    "nodes": {"target": "lws", "gpu": {"count": 8}},
    "gpu.topology": {
        "gpu": {"count": 8, "models": ["TPU-v5e"]},
        "image": "docker.io/vllm/vllm-tpu:v0.20.0",
    },
    "topology": {**ALTOGETHER, "queue": "research", "topology": {"level": "block"}},
    "queue": ALTOGETHER,
    "connector": {"prefill": {}},
    "router": {"prefill": {}},
    "prefill": {"prefill": {"args": []}},
    "prefill.replicas": {"prefill": {"replicas": {"min": 1, "max": 3}}},
    "prefill.replicas.metric": {"prefill": {"replicas": {"min": 1, "max": 3, "target": 7}}},
    "prefill.nodes": {"target": "lws", "gpu": {"count": 8}, "prefill": {}},
    "prefill.gpu": {"gpu": FOUR, "prefill": {"gpu": FOUR}},
    "prefill.gpu.topology": {
        "gpu": CHIP,
        "prefill": {"gpu": CHIP},
        "image": "docker.io/vllm/vllm-tpu:v0.20.0",
    },
    "prefill.parallelism": {"gpu": FOUR, "prefill": {}},
    "prefill.resources.memoryLimit": {"prefill": {"resources": {"memory": "64Gi"}}},
}
# Values where the schema's own examples would change nothing, or need more beside them.
VALUES: Values = {
    "command": [["other"]],
    "initContainers": [[HELPER]],
    "sidecars": [[HELPER]],
    "roles": [[ROLE]],
    "overrides": [[{"kind": "ServiceAccount", "patch": {"metadata": {"labels": {"a": "b"}}}}]],
    "tenancy": ["untrusted"],
    "retries.failOnExitCodes": [[3]],
    "failOnExitCodes": [[3]],
    "caches.localDisk": [True],
    "onExitCode": [{"42": "fail-run"}],
    "parallelism.tensor": [2],
    "parallelism.pipeline": [2],
    "expose.containerPort": [9000],
    "longestRequest": ["7m"],
    "checkpoint.every": ["20m", "40m"],
    "method": ["lora", "qlora"],
    "target": ["jobset"],
    "model.size": ["16Gi", "20Gi"],
    "baseModel.size": ["16Gi", "20Gi"],
    "gpu.memory": ["400Gi"],
    "gpu.topology": ["2x4"],
    **{f"probes.{probe}.tcp": [True, False] for probe in ("readiness", "startup", "liveness")},
    **{
        f"probes.{probe}.command": [["cat", "/a"], ["cat", "/b"]]
        for probe in ("readiness", "startup", "liveness")
    },
    "architecture": ["arm64"],
    "topology.level": ["block", "rack"],
    "baseModel.source.pvc": ["other"],
    "model.source.pvc": ["other"],
    "probes.startup.path": ["/other"],
    "gpu.interconnect": ["rdma"],
    "place.pools": [["elsewhere"]],
    "place.prefer": [["elsewhere"], ["spot"]],
    "place.never": [["elsewhere"]],
    "place.zones": [["z2"]],
    "place.regions": [["r2"]],
    "gpu.computeCapability": ["9.0"],
    "latency": ["relaxed"],
    "prefill.args": [["--max-num-batched-tokens=16384"]],
    "prefill.gpu.computeCapability": ["9.0"],
    "prefill.gpu.interconnect": ["rdma"],
    "prefill.gpu.memory": ["400Gi"],
    "prefill.gpu.topology": ["2x4"],
    "prefill.parallelism.tensor": [2],
    "prefill.parallelism.pipeline": [2],
    "connector": ["mooncake"],
    "router.args": [["--policy", "random"]],
}
# What is watched by whoever has monitoring.
AIMS = ("timeToFirstToken", "timePerOutputToken")
# What another source of metrics decides on.
KEDA = {
    "installed": {**PROFILE["spec"]["installed"], "keda": "2.21"},
    "metrics": {"source": "keda", "prometheus": {"address": "http://prometheus:9090"}},
}
ASKING = {
    "replicas.metricFrom.external.labels": KEDA,
    "replicas.metricFrom.query": KEDA,
    "replicas.activation": KEDA,
    **{
        key: {
            "installed": {**PROFILE["spec"]["installed"], "prometheus-operator": "0.93"},
            "monitoring": {"scrape": "pod-monitor"},
        }
        for key in (*(f"objectives.{each}" for each in AIMS), "metrics.path")
    },
}
OF_A_TYPE: dict[str, list[Any]] = {"boolean": [True, False], "integer": [1, 2, 3]}
# Of a pod that shares a GPU, which these decide on.
SMALL = {"gpu": {"memory": "4Gi"}}
CHOOSING = {"tenancy", "latency"}


def leaves(
    schema: Values, whole: Values, path: tuple[str, ...] = ()
) -> Iterator[tuple[str, list[Any]]]:
    """Every field that holds no further fields, with values that it takes."""
    for name, field in resolved(schema, whole)["properties"].items():
        for choice in field.get("anyOf", [field]):
            inner = resolved(choice, whole)
            if "properties" in inner:
                yield from leaves(inner, whole, (*path, name))
                continue
            found = [*field.get("examples", []), *inner.get("enum", [])]
            found += OF_A_TYPE.get(str(inner.get("type")), [])
            yield ".".join((*path, name)), found


def varied(text: str) -> str:
    """Another value of the same form: `40m` of `30m`, `datax` of `data`."""
    digit = re.search(r"[0-9]", text)
    return text.replace(digit[0], "2" if digit[0] != "2" else "3", 1) if digit else f"{text}x"


def resolved(schema: Values, whole: Values) -> Values:
    """A part of the schema, or what it refers to."""
    name = schema.get("$ref", "").rpartition("/")[2]
    return whole["$defs"][name] if name else schema


def beside(kind: str, path: str) -> Values:
    """What stands beside a field; of prefill's own replicas what stands beside the server's."""
    if path.startswith("prefill.replicas.") and path not in BESIDE:
        return {"prefill": beside(kind, path.removeprefix("prefill."))}
    known = {**BESIDE, **SERVED} if kind == "Inference" else BESIDE
    if path in CHOOSING:
        return SMALL
    fits = [one for one in known if path == one or path.startswith(f"{one}.")]
    return known[max(fits, key=len)] if fits else {}


def told(make: Make, kind: str, spec: Values, path: str, value: object) -> tuple[str, str] | None:
    """The objects and the notes with a field; None where its spec is refused, which says enough."""
    changed: Values = json.loads(json.dumps(spec))
    at = changed
    *folders, last = path.split(".")
    for folder in folders:
        if not isinstance(at.get(folder), dict):
            at[folder] = {}
        at = at[folder]
    if value is None:
        at.pop(last, None)
    else:
        at[last] = value
    try:
        profile = {
            **PROFILE,
            "spec": {**PROFILE["spec"], **ASKING.get(path.removeprefix("prefill."), {})},
        }
        made = make(kind, profile, **changed)
    except (gpuspec.InputError, gpuspec.Refusal):
        return None
    text = json.dumps(made.objects, sort_keys=True)
    text = re.sub(r"work-[0-9a-f]{8}", "work", re.sub(r"gpuspec.dev/digest\": \"[^\"]*", "", text))
    return text, made.notes()


FIELDS = [
    (kind, path, values)
    for kind in BASE
    for path, values in leaves(gpuspec.schema(kind)["properties"]["spec"], gpuspec.schema(kind))
]


@pytest.mark.parametrize(("kind", "path", "values"), FIELDS, ids=lambda one: str(one)[:40])
def test_a_field_changes_the_objects_or_is_spoken_of(
    make: Make, kind: str, path: str, values: list[Any]
) -> None:
    spec = beside(kind, path)
    given = VALUES.get(path, [])
    tried = given or [*values, *(varied(one) for one in values if isinstance(one, str))]
    answers = [told(make, kind, spec, path, value) for value in (None, *tried)]
    # What is refused says enough where it is meant to be; else a value may merely be no good one.
    first, *others = [one for one in answers if one is not None or given]
    assert any(one != first for one in others)


NIM = {"runtime": "nim", "image": "nvcr.io/nim/meta/llama:1.8"}


@pytest.mark.parametrize(
    ("kind", "spec", "said"),
    [
        (
            "Training",
            {"dataLoaders": 4, "resources": {"shm": "8Gi", "memory": "64Gi"}},
            "dataLoaders",
        ),
        ("Inference", {"availability": {"zones": "hard"}}, "availability.zones: one replica"),
        ("Inference", {"replicas": {"min": 2, "max": 2, "signal": "cache"}}, "nothing scales them"),
        (
            "Inference",
            {"replicas": {"min": 1, "max": 2, "signal": "cache", "metric": "m", "target": 1}},
            "replicas.signal: metric m takes its place",
        ),
        (
            "Inference",
            {"startup": {"budget": "1h"}, "probes": {"startup": {**PROBE, "failures": 9}}},
            "probes.startup.failures follows from startup.budget",
        ),
        (
            "FineTune",
            {"baseModel": {"id": "a/b", "source": {"pvc": "w", "path": "llama"}}},
            "nothing tells the program that the weights lie at /models/llama",
        ),
        (
            "Inference",
            {"model": {"id": "a/b", "source": {"hub": {"tokenKey": "other"}}}},
            "no tokenSecret is named",
        ),
        ("Inference", {"runtime": "sglang"}, "the image is one of vLLM, and it is started"),
        (
            "Inference",
            {"model": HUB, "args": ["--model", "org/other"]},
            "`--model` in args has vLLM serve org/other, and model.id is org/model",
        ),
        (
            "Inference",
            {**NIM, "model": HUB, "env": {"NIM_MODEL_NAME": "hf://org/other"}},
            "env NIM_MODEL_NAME has NVIDIA NIM for LLMs serve org/other",
        ),
        (
            "Inference",
            {
                **NIM,
                "model": {"id": "a/b", "size": "16Gi", "source": {"hub": {"tokenSecret": "hf"}}},
            },
            "is given Secret hf as NGC_API_KEY",
        ),
        (
            "Inference",
            {
                "model": {"id": "a/b", "source": {"hub": {"tokenSecret": "hf"}}},
                "env": {"HF_TOKEN": {"secret": "mine", "key": "token"}},
            },
            "env sets HF_TOKEN, so the token of Secret hf is not used",
        ),
    ],
)
def test_what_takes_a_fields_place_is_said_aloud(
    make: Make, kind: str, spec: Values, said: str
) -> None:
    assert said in make(kind, PROFILE, **spec).loud()


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("Inference", {"runtime": "sglang", "command": ["python3", "-m", "sglang.launch_server"]}),
        ("Inference", {"model": HUB, "args": ["--model=org/model"]}),
        (
            "Inference",
            {
                **NIM,
                "model": {"id": "a/b", "size": "16Gi", "source": {"hub": {"tokenSecret": "ngc"}}},
            },
        ),
        (
            "FineTune",
            {
                "baseModel": {"id": "a/b", "source": {"pvc": "w", "path": "llama"}},
                "args": ["--base", "/models/llama"],
            },
        ),
        ("Training", {"checkpoint": {"pvc": "kept", "every": "1h"}}),
    ],
)
def test_what_agrees_is_not_spoken_of(make: Make, kind: str, spec: Values) -> None:
    loud = make(kind, PROFILE, **spec).rendering.notes
    assert [one.text for one in loud if one.loud and not one.assumed] == []
