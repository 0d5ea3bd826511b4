"""Manifests of GPU workloads as people publish them, to lint. Deterministic, and all made up.

Kinds, sizes, comments and faults come at the rates that are met in public repositories: two
hundred lines of a Deployment with its script as well as six of a queue; no probe on two servers in
three, no memory on every second GPU, an image that moves on every fourth.
"""

from collections.abc import Callable, Iterator
from itertools import count, islice
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.block import indented, written

_Object = dict[str, Any]

HOST_PATH, LONG_VOLUMES, PRIVILEGED, SECURITY = 0.14, 0.4, 0.07, 0.1
SELECTOR, TOLERATION, MEMORY, SHM, MOVES, TOKEN = 0.5, 0.12, 0.52, 0.5, 0.3, 0.23
STARTUP, READINESS, LIVENESS, DRAIN, GRACE = 0.15, 0.35, 0.28, 0.05, 0.07
RECREATE, ALONE, QUEUED, SCRIPT, LIMITS_ONLY, NAMESPACE = 0.05, 0.74, 0.13, 0.35, 0.33, 0.45
"""Shares of the GPU pods, or of the objects, that can have it."""
TEAMS = 25
PER_FILE = 100

_MODELS = ("Qwen/Qwen3-32B", "meta-llama/Llama-3.1-8B-Instruct", "mistralai/Mistral-Small-24B")
_IMAGES = ("vllm/vllm-openai", "lmsysorg/sglang", "ghcr.io/huggingface/text-generation-inference")
_MACHINES = (
    {"cloud.google.com/gke-accelerator": "nvidia-l4"},
    {"cloud.google.com/gke-accelerator": "nvidia-h100-80gb"},
    {"node.kubernetes.io/instance-type": "p5.48xlarge"},
    {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB"},
    {"kubernetes.io/hostname": "gpu-node-7"},
)
_SETTINGS = {
    "NCCL_DEBUG": "INFO",
    "NCCL_SOCKET_IFNAME": "eth0",
    "VLLM_LOGGING_LEVEL": "DEBUG",
    "PYTHONUNBUFFERED": "1",
    "MAX_TOTAL_TOKENS": "8192",
    "HF_HOME": "/models/hub",
    "TORCH_CUDA_ARCH_LIST": "8.0;9.0",
    "OMP_NUM_THREADS": "8",
    "GLOO_SOCKET_IFNAME": "eth0",
    "TOKENIZERS_PARALLELISM": "false",
    "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
    "HF_HUB_ENABLE_HF_TRANSFER": "1",
}


def write(folder: Path, documents: int, per_file: int = PER_FILE) -> Path:
    """Write that many documents, so many to a file, into a folder made for them."""
    folder.mkdir(parents=True)
    texts = list(texts_of(documents))
    for number, first in enumerate(range(0, documents, per_file)):
        text = "---\n".join(texts[first : first + per_file])
        (folder / f"{number:05d}.yaml").write_text(text)
    return folder


def write_list(folder: Path, documents: int) -> Path:
    """Write them as the items of one `List`, as `kubectl get -o yaml` prints objects."""
    folder.mkdir(parents=True)
    items = "".join(map(indented, texts_of(documents)))
    (folder / "list.yaml").write_text(f"apiVersion: v1\nkind: List\nitems:\n{items}")
    return folder


def texts_of(documents: int) -> Iterator[str]:
    """The texts of so many documents, the same in every run."""
    return islice(_texts(), documents)


def _texts() -> Iterator[str]:
    for number in count():
        random = Random(number)
        for make in random.choices(_TOGETHER, _OFTEN)[0]:
            yield written(make(number, random), random)


def _object(version: str, kind: str, number: int, random: Random, **fields: Any) -> _Object:
    metadata: _Object = {"name": f"{kind.lower()}-{number}"}
    if number % 100 < 100 * NAMESPACE:
        metadata["namespace"] = f"team-{number % TEAMS}"
    if random.random() < 0.4:
        metadata["labels"] = _labels(number)
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **fields}


def _labels(number: int) -> _Object:
    return {"app": f"model-{number}", "app.kubernetes.io/part-of": "inference"}


def _deployment(number: int, random: Random) -> _Object:
    spec: _Object = {"replicas": 1 if random.random() < ALONE else random.randint(2, 6)}
    if random.random() < RECREATE:
        spec["strategy"] = {"type": "Recreate"}
    labels = _labels(number)
    spec["selector"] = {"matchLabels": {"app": labels["app"]}}
    spec["template"] = {"metadata": {"labels": labels}, "spec": _server_pod(random)}
    return _object("apps/v1", "Deployment", number, random, spec=spec)


def _group(number: int, random: Random) -> _Object:
    template = {"spec": _server_pod(random)}
    spec = {"replicas": 1, "leaderWorkerTemplate": {"size": 2, "workerTemplate": template}}
    return _object("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", number, random, spec=spec)


def _server_pod(random: Random) -> _Object:
    main = _container(random)
    main["ports"] = [{"name": "http", "containerPort": 8000, "protocol": "TCP"}]
    health = {"httpGet": {"path": "/health", "port": 8000}, "periodSeconds": 10}
    if random.random() < STARTUP:
        main["startupProbe"] = {**health, "failureThreshold": random.choice((15, 30, 120, 180))}
    if random.random() < READINESS:
        main["readinessProbe"] = {**health, "initialDelaySeconds": 60, "timeoutSeconds": 5}
    if random.random() < LIVENESS:
        main["livenessProbe"] = {**health, "initialDelaySeconds": random.choice((60, 120, 900))}
    if random.random() < DRAIN:
        main["lifecycle"] = {"preStop": {"exec": {"command": ["sleep", "30"]}}}
    return _pod(main, random)


def _batch_pod(random: Random) -> _Object:
    return {
        "restartPolicy": random.choice(("Never", "OnFailure")),
        **_pod(_container(random), random),
    }


def _container(random: Random) -> _Object:
    model = random.choice(_MODELS)
    tag = "latest" if random.random() < MOVES else f"v0.{random.randint(6, 11)}.0"
    gpus = random.choices((1, 2, 4, 8), (62, 13, 6, 16))[0]
    main: _Object = {"name": "main", "image": f"{random.choice(_IMAGES)}:{tag}"}
    if random.random() < SCRIPT:
        main["command"] = ["/bin/bash", "-c"]
        main["args"] = [_script(model, gpus, random.randint(6, 30))]
    else:
        main["args"] = ["--model", model, "--tensor-parallel-size", str(gpus), "--port", "8000"]
    names = random.sample(list(_SETTINGS), random.randint(1, len(_SETTINGS)))
    main["env"] = [{"name": name, "value": _SETTINGS[name]} for name in names]
    if random.random() < TOKEN:
        secret = {"secretKeyRef": {"name": "hf-token", "key": "token"}}
        literal = {"name": "HF_TOKEN", "value": "<your token>"}
        known = {"name": "HF_TOKEN", "valueFrom": secret}
        main["env"].append(known if random.random() < 0.77 else literal)
    limits: _Object = {"nvidia.com/gpu": gpus if random.random() < 0.47 else str(gpus)}
    if random.random() < MEMORY:
        limits = {"cpu": str(4 * gpus), "memory": f"{32 * gpus}Gi", **limits}
    main["resources"] = {"limits": limits}
    if random.random() > LIMITS_ONLY:
        main["resources"]["requests"] = dict(limits)
    if random.random() < SECURITY:
        main["securityContext"] = {"capabilities": {"add": ["IPC_LOCK"]}}
    elif random.random() < PRIVILEGED:
        main["securityContext"] = {"privileged": True}
    return main


def _pod(main: _Object, random: Random) -> _Object:
    spec: _Object = {}
    if random.random() < SELECTOR:
        spec["nodeSelector"] = dict(random.choice(_MACHINES))
    if random.random() < TOLERATION:
        tolerated = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
        spec["tolerations"] = [tolerated]
    if random.random() < GRACE:
        spec["terminationGracePeriodSeconds"] = 120
    spec["containers"] = [main]
    volumes: dict[str, tuple[str, _Object]] = {}
    if random.random() < SHM:
        size = {} if random.random() < 0.53 else {"sizeLimit": "16Gi"}
        volumes["dshm"] = "/dev/shm", {"emptyDir": {"medium": "Memory", **size}}
    if random.random() < HOST_PATH:
        volumes["models"] = "/models", {"hostPath": {"path": "/mnt/models"}}
    elif random.random() < LONG_VOLUMES:
        volumes["models"] = "/models", {"persistentVolumeClaim": {"claimName": "models"}}
    if volumes:
        main["volumeMounts"] = [{"name": n, "mountPath": path} for n, (path, _) in volumes.items()]
        spec["volumes"] = [{"name": name, **volume} for name, (_, volume) in volumes.items()]
    return spec


def _script(model: str, gpus: int, steps: int) -> str:
    head = [
        "set -euo pipefail",
        "",
        f'echo "loading {model}: $(date)"  # not the log of the server',
    ]
    body = [f"export STEP_{step}=/models/hub/step-{step}" for step in range(steps)]
    return "\n".join(
        [*head, *body, f"exec vllm serve {model} \\", f"  --tensor-parallel-size {gpus}"]
    )


def _service(number: int, random: Random) -> _Object:
    ports = [{"name": "http", "port": 80, "targetPort": 8000, "protocol": "TCP"}]
    spec = {"type": "ClusterIP", "selector": {"app": f"model-{number}"}, "ports": ports}
    return _object("v1", "Service", number, random, spec=spec)


def _single(number: int, random: Random) -> _Object:
    return _object("v1", "Pod", number, random, spec=_batch_pod(random))


def _job(number: int, random: Random) -> _Object:
    spec = {"backoffLimit": 4, "template": {"spec": _batch_pod(random)}}
    made = _object("batch/v1", "Job", number, random, spec=spec)
    if random.random() < QUEUED:
        made["metadata"].setdefault("labels", {})["kueue.x-k8s.io/queue-name"] = "user-queue"
    return made


def _mpi_job(number: int, random: Random) -> _Object:
    launcher = {"name": "main", "image": "ghcr.io/example/nccl-tests:2.27", "args": ["mpirun"]}
    launcher["args"] = [_script("all_reduce_perf", 8, random.randint(10, 40))]
    replicas = {
        "Launcher": {"replicas": 1, "template": {"spec": {"containers": [launcher]}}},
        "Worker": {"replicas": 2, "template": {"spec": _pod(_container(random), random)}},
    }
    spec = {"runPolicy": {"cleanPodPolicy": "Running"}, "mpiReplicaSpecs": replicas}
    return _object("kubeflow.org/v2beta1", "MPIJob", number, random, spec=spec)


def _torch_job(number: int, random: Random) -> _Object:
    worker = {"replicas": 4, "restartPolicy": "OnFailure"}
    template = {"template": {"spec": _pod(_container(random), random)}}
    spec = {"pytorchReplicaSpecs": {"Worker": {**worker, **template}}}
    return _object("kubeflow.org/v1", "PyTorchJob", number, random, spec=spec)


def _ray_service(number: int, random: Random) -> _Object:
    head = {"rayStartParams": {"num-cpus": "0"}, "template": {"spec": _server_pod(random)}}
    worker = {"groupName": "gpu", "replicas": 1, "minReplicas": 1, "maxReplicas": 4}
    worker |= {"rayStartParams": {}, "template": {"spec": _pod(_container(random), random)}}
    config = {"rayVersion": "2.46.0", "headGroupSpec": head, "workerGroupSpecs": [worker]}
    applications = _script("serve", 1, 20)
    spec = {"serveConfigV2": applications, "rayClusterConfig": config}
    return _object("ray.io/v1", "RayService", number, random, spec=spec)


def _inference_service(number: int, random: Random) -> _Object:
    limits = {"cpu": "8", "memory": "32Gi", "nvidia.com/gpu": "1"}
    model = {"modelFormat": {"name": "huggingface"}, "storageUri": "hf://Qwen/Qwen3-8B"}
    predictor = {"minReplicas": 1, "model": {**model, "resources": {"limits": limits}}}
    spec = {"predictor": predictor}
    return _object("serving.kserve.io/v1beta1", "InferenceService", number, random, spec=spec)


def _claim_template(number: int, random: Random) -> _Object:
    request = {"name": "gpu", "exactly": {"deviceClassName": "gpu.nvidia.com", "count": 1}}
    spec = {"spec": {"devices": {"requests": [request]}}}
    return _object("resource.k8s.io/v1", "ResourceClaimTemplate", number, random, spec=spec)


def _flavor(number: int, random: Random) -> _Object:
    spec = {"nodeLabels": dict(random.choice(_MACHINES))}
    return _object("kueue.x-k8s.io/v1beta2", "ResourceFlavor", number, random, spec=spec)


def _cluster_queue(number: int, random: Random) -> _Object:
    quotas = [{"name": "cpu", "nominalQuota": 64}, {"name": "nvidia.com/gpu", "nominalQuota": "16"}]
    flavors = [{"name": f"resourceflavor-{number}", "resources": quotas}]
    groups = [{"coveredResources": ["cpu", "nvidia.com/gpu"], "flavors": flavors}]
    spec = {"namespaceSelector": {}, "resourceGroups": groups}
    return _object("kueue.x-k8s.io/v1beta2", "ClusterQueue", number, random, spec=spec)


def _local_queue(number: int, random: Random) -> _Object:
    spec = {"clusterQueue": f"clusterqueue-{number}"}
    return _object("kueue.x-k8s.io/v1beta2", "LocalQueue", number, random, spec=spec)


def _settings(number: int, random: Random) -> _Object:
    data = {"run.sh": _script("train.py", 8, random.randint(20, 90)), "LOG_LEVEL": "info"}
    return _object("v1", "ConfigMap", number, random, data=data)


def _namespace(number: int, random: Random) -> _Object:
    return _object("v1", "Namespace", number, random)


def _account(number: int, random: Random) -> _Object:
    return _object("v1", "ServiceAccount", number, random)


def _binding(number: int, random: Random) -> _Object:
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"}
    subjects = [{"kind": "ServiceAccount", "name": f"serviceaccount-{number}"}]
    version = "rbac.authorization.k8s.io/v1"
    return _object(version, "RoleBinding", number, random, roleRef=role, subjects=subjects)


_Make = Callable[[int, Random], _Object]
_KINDS: dict[tuple[_Make, ...], int] = {
    (_deployment, _service): 157,
    (_deployment,): 48,
    (_single,): 82,
    (_claim_template,): 66,
    (_mpi_job,): 43,
    (_inference_service,): 40,
    (_namespace,): 40,
    (_account, _binding): 30,
    (_settings,): 30,
    (_ray_service,): 27,
    (_flavor, _cluster_queue, _local_queue): 26,
    (_job,): 23,
    (_torch_job,): 18,
    (_group,): 13,
}
"""What stands together, and how many of it there are among public manifests."""
_TOGETHER, _OFTEN = list(_KINDS), list(_KINDS.values())
