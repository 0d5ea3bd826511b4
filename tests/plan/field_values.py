"""What fields are set to, and what has to stand beside them."""

from typing import Any

from tests.plan.conftest import Values, cluster, pool

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
