"""Launchers and the files that they read; names, containers and groups that have no GPU."""

from tests.lint.pages import raised

POD = """apiVersion: v1
kind: Pod
metadata: {name: train, namespace: ml}
spec:
  restartPolicy: Never
  containers:
    - name: main
      image: pytorch/pytorch:2.9.1-cuda13.0-cudnn9-runtime
      command: COMMAND
      resources: {limits: {nvidia.com/gpu: 8, memory: 64Gi}}
      volumeMounts: [{name: settings, mountPath: /settings}]
  volumes: [{name: settings, configMap: {name: settings}}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: ml}
data:
  file.yaml: |
    SETTINGS
"""
JOB = """apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  completionMode: Indexed
  completions: 2
  parallelism: 2
  template:
    metadata: {labels: {app: train}}
    spec:
      restartPolicy: Never
      subdomain: train
      containers:
        - name: main
          image: pytorch/pytorch:2.9.1-cuda13.0-cudnn9-runtime
          command: [torchrun, --nnodes=2, --nproc-per-node=8, OPTIONS, train.py]
          resources: {limits: {nvidia.com/gpu: 8, memory: 64Gi}}
---
apiVersion: v1
kind: Service
metadata: {name: train, namespace: ml}
spec: {clusterIP: None, selector: SELECTOR}
"""
MEETING = "--rdzv-backend=c10d, '--rdzv-endpoint=train-0.train:29500'"
RAY = """apiVersion: ray.io/v1
kind: RayJob
metadata: {name: train, namespace: ml}
spec:
  entrypoint: python train.py
  entrypointNumGpus: 1
  rayClusterSpec:
    headGroupSpec:
      rayStartParams: {num-gpus: "0"}
      template: {spec: {containers: [{name: head, image: "rayproject/ray:2.46.0"}]}}
    workerGroupSpecs:
      - groupName: gpu
        replicas: 1
        rayStartParams: {}
        template:
          spec:
            containers: [CONTAINERS]
"""
WORKER = "{name: worker, image: 'rayproject/ray:2.46.0', resources: {limits: {nvidia.com/gpu: 1}}}"
LOGGER = "{name: logger, image: 'fluent/fluent-bit:3.1.4'}"


def said(code: str, text: str) -> list[str]:
    """Return what a rule says of a manifest."""
    return [one.finding().message for one in raised(text) if one.rule.code == code]


def pod(command: str, settings: str) -> str:
    """Return a pod that reads a file."""
    return POD.replace("COMMAND", command).replace("SETTINGS", settings)


def test_accelerate_reads_the_number_of_processes_from_a_file() -> None:
    command = "[accelerate, launch, --config_file, /settings/file.yaml, train.py]"
    file = "{distributed_type: MULTI_GPU, num_machines: 1, num_processes: %s}"
    assert "num_processes: 4" in said("GPU732", pod(command, file % 4))[0]
    assert not said("GPU732", pod(command, file % 8))
    assert not said("GPU732", pod(command, "{distributed_type: 'NO', num_processes: 1}"))


def test_one_gpu_takes_one_process() -> None:
    one_gpu = pod("[torchrun, --nproc-per-node=4, train.py]", "{}").replace("gpu: 8", "gpu: 1")
    notes = [one.finding().note for one in raised(one_gpu) if one.rule.code == "GPU732"]
    assert notes == ["start 1 process, or request 4 GPUs"]


def test_deepspeed_reads_the_batch_from_a_file() -> None:
    command = "[deepspeed, --num_gpus=8, train.py, --deepspeed, /settings/file.yaml]"
    batch = (
        "{train_batch_size: %s, train_micro_batch_size_per_gpu: 4, gradient_accumulation_steps: %s}"
    )
    assert "is not 4 × 4 × 8" in said("GPU799", pod(command, batch % (64, 4)))[0]
    assert not said("GPU799", pod(command, batch % (128, 4)))
    assert not said("GPU799", pod(command, batch % (64, "auto")))
    both = "{bf16: {enabled: true}, fp16: {enabled: %s}}"
    assert "both enabled" in said("GPU799", pod(command, both % "true"))[0]
    assert not said("GPU799", pod(command, both % "false"))


def test_torchrun_that_meets_itself() -> None:
    alone = JOB.replace("OPTIONS", "--standalone").replace("SELECTOR", "{app: train}")
    assert "its own rendezvous" in said("GPU756", alone)[0]
    assert not said("GPU756", alone.replace("--nnodes=2", "--nnodes=1"))


def test_a_service_that_does_not_select_the_ranks() -> None:
    text = JOB.replace("OPTIONS", MEETING)
    assert "does not select" in said("GPU744", text.replace("SELECTOR", "{app: trainer}"))[0]
    for selector in ("{app: train}", "{job-name: train}", "{}"):
        assert not said("GPU744", text.replace("SELECTOR", selector))


def test_ray_starts_in_the_first_container() -> None:
    behind = RAY.replace("CONTAINERS", f"{LOGGER}, {WORKER}")
    assert [message for message in said("GPU736", behind) if "first container `logger`" in message]
    assert not said("GPU736", RAY.replace("CONTAINERS", f"{WORKER}, {LOGGER}"))


def test_an_entrypoint_that_waits_for_a_group_without_pods() -> None:
    text = RAY.replace("CONTAINERS", WORKER)
    empty = text.replace("replicas: 1", "replicas: 0")
    assert "start with no pod" in said("GPU890", empty)[0]
    assert not said("GPU890", text)
    scaled = "rayClusterSpec:\n    enableInTreeAutoscaling: true"
    grown = empty.replace("rayClusterSpec:", scaled).replace(
        "replicas: 0", "replicas: 0\n        maxReplicas: 2"
    )
    assert not said("GPU890", grown)
