"""GPU756 to GPU759: beyond what their pages show."""

import pytest

from tests.lint.pages import raised
from tests.lint.patched import of

PYTORCH = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{name: train, namespace: ml}}
spec:
  {policy}
  pytorchReplicaSpecs:
    {role}:
      replicas: {replicas}
      template:
        spec:
          containers:
            - name: pytorch
              image: a/b:1
              command: [{command}]
              resources: {{limits: {{nvidia.com/gpu: 8, memory: 400Gi}}}}
"""
PAIR = """apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: pair, namespace: ml}}
spec:
  serviceName: pair
  replicas: 2
  podManagementPolicy: Parallel
  selector: {{matchLabels: {{app: pair}}}}
  template:
    metadata: {{labels: {{app: pair}}}}
    spec:
      containers:
        - name: rank
          image: {image}
          command: [{command}]
          {more}
          resources: {{limits: {{nvidia.com/gpu: 8, memory: 400Gi}}}}
"""
GROUP = """apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {{name: big, namespace: ml}}
spec:
  leaderWorkerTemplate:
    size: 2
    leaderTemplate:
      spec:
        containers:
          - &one
            name: sglang
            image: lmsysorg/sglang:v0.5.9
            command: [python3, -m, sglang.launch_server, --model, m, --tp, "2", --nnodes, "2",
                      --dist-init-addr, "$(LWS_LEADER_ADDRESS):20000"]
            resources: {{limits: {{nvidia.com/gpu: 1, memory: 64Gi}}}}
    workerTemplate:
      spec:
        containers:
          - <<: *one
            command: [python3, -m, sglang.launch_server, --model, m, --tp, "2", --nnodes, "2",
                      --dist-init-addr, "$(LWS_LEADER_ADDRESS):20000"{rank}]
"""
RAY = """apiVersion: ray.io/v1
kind: RayJob
metadata: {{name: tune, namespace: ml}}
spec:
  entrypoint: {line}
  {more}
  rayClusterSpec:
    headGroupSpec:
      rayStartParams: {{}}
      template:
        spec:
          containers:
            - name: ray-head
              image: rayproject/ray:2.52.0
              resources: {{limits: {{nvidia.com/gpu: 2, memory: 64Gi}}}}
"""
MPI = """apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {{name: allreduce, namespace: ml}}
spec:
  slotsPerWorker: 2
  runPolicy: {policy}
  {more}
  mpiReplicaSpecs:
    Launcher: &pods
      replicas: 1
      template:
        spec:
          containers:
            - name: mpi
              image: a/b:1
              command: [mpirun, -np, "2", python, train.py]
              resources: {{limits: {{nvidia.com/gpu: 2, memory: 64Gi}}}}
    Worker: *pods
"""


def said(text: str, code: str) -> list[str]:
    return [one.found.message for one in raised(text) if one.rule.code == code]


def pytorch(role: str = "Worker", policy: str = "runPolicy: {}", replicas: int = 2) -> str:
    command = "torchrun, --nproc-per-node=8, train.py"
    return PYTORCH.format(role=role, policy=policy, replicas=replicas, command=command)


def pair(command: str, image: str = "a/b:1", more: str = "env: []") -> list[str]:
    return said(PAIR.format(command=command, image=image, more=more), "GPU756")


def ray(line: str, more: str = "shutdownAfterJobFinishes: true") -> str:
    return RAY.format(line=line, more=more)


def mpi(policy: str = "{cleanPodPolicy: Running}", more: str = "mpiImplementation: OpenMPI") -> str:
    return MPI.format(policy=policy, more=more)


def test_workers_of_a_pytorchjob_meet_by_a_master_or_a_rendezvous() -> None:
    assert said(pytorch(), "GPU756")
    assert not said(pytorch(replicas=1), "GPU756")
    assert not said(pytorch(policy="elasticPolicy: {rdzvBackend: c10d}"), "GPU756")
    assert not said(pytorch(role="Master", replicas=1), "GPU756")


@pytest.mark.parametrize(
    ("command", "image"),
    [
        ("torchrun, --nnodes=2, train.py", "a/b:1"),
        (
            "torchrun, --nnodes=2, --rdzv-backend=c10d, '--rdzv-endpoint=localhost:29500', t.py",
            "a/b",
        ),
        ("torchrun, --nnodes=2, --node-rank=1, --master-addr=pair-0.pair, train.py", "a/b:1"),
        ("accelerate, launch, --num_machines=2, train.py", "a/b:1"),
        ("python3, -m, sglang.launch_server, --model, m, --nnodes, '2'", "lmsysorg/sglang:v0.5.9"),
    ],
)
def test_ranks_that_never_meet(command: str, image: str) -> None:
    assert len(pair(command, image)) == 1


@pytest.mark.parametrize(
    "command",
    [
        "torchrun, --nnodes=1, train.py",
        "torchrun, --nnodes=2, --node-rank=$(N), --master-addr=pair-0.pair, train.py",
        "torchrun, --nnodes=2, --rdzv-backend=c10d, --node-rank=0, --rdzv-endpoint=p:1, train.py",
        "torchrun, --nnodes=2, $DISTRIBUTED, train.py",
        "accelerate, launch, --config_file, a.yaml, --num_machines=2, train.py",
    ],
)
def test_ranks_that_meet_or_may(command: str) -> None:
    assert not pair(command)


def test_an_address_that_comes_from_elsewhere_is_one() -> None:
    command = "torchrun, --nnodes=2, train.py"
    assert not pair(command, more="envFrom: [{configMapRef: {name: meeting}}]")
    told = "env: [{name: PET_MASTER_ADDR, value: pair-0.pair}, {name: PET_NODE_RANK, value: $(N)}]"
    assert not pair(command, more=told)


def test_torchrun_does_not_read_the_variables_of_its_own_processes() -> None:
    text = PAIR.format(
        command="torchrun, --nnodes=2, train.py",
        image="a/b:1",
        more="env: [{name: MASTER_ADDR, value: pair-0.pair}]",
    )
    (one,) = [each.found for each in raised(text) if each.rule.code == "GPU756"]
    assert "`PET_MASTER_ADDR`" in (one.note or "")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("torchrun, --nnodes=2, --master-addr=pair-0.pair, train.py", "have no rank"),
        ("torchrun, --nnodes=2, '--rdzv-endpoint=pair-0.pair:29500', train.py", "have no rank"),
        (
            "torchrun, --nnodes=2, --rdzv-backend=c10d, --master-addr=pair-0.pair, train.py",
            "only the static rendezvous",
        ),
        ("accelerate, launch, --num_machines=2, --main_process_ip=p, t.py", "exits at startup"),
        ("vllm, serve, m, --nnodes, '2', --master-addr, pair-0.pair", "have no rank"),
        ("deepspeed, --num_nodes=2, train.py", "`/job/hostfile`"),
        ("vllm, serve, m, -dp, '16', -dpl, '8'", "no rendezvous address"),
        ("vllm, serve, m, -dp, '16', -dpl, '8', -dpa, p, --data-parallel-start-rank, '8'", "same"),
    ],
)
def test_what_is_missing_or_not_read(command: str, said: str) -> None:
    (message,) = pair(command)
    assert said in message


@pytest.mark.parametrize(
    "command",
    [
        "torchrun, --nnodes=2, --rdzv-backend=c10d, '--rdzv-endpoint=pair-0.pair:29400', t.py",
        "accelerate, launch, --num_machines=2, --use_deepspeed, --deepspeed_hostfile=h, train.py",
        "deepspeed, --num_nodes=1, train.py",
        "deepspeed, --hostfile=/etc/mpi/hostfile, --num_nodes=2, train.py",
        "deepspeed, --num_gpus=8, train.py, --num_nodes=2",
        "vllm, serve, m, -dp, '8', -dpl, '8'",
        "vllm, serve, m, -dp, '16', -dpl, '8', -dpb, ray",
        "vllm, serve, m, -dp, '16', -dpl, '8', -dpa, pair-0.pair, -dpr, $(START)",
    ],
)
def test_what_needs_no_more(command: str) -> None:
    assert not pair(command)


@pytest.mark.parametrize(
    ("settings", "wrong"),
    [
        ("{num_machines: 2}", True),
        ("{num_machines: 2, main_process_ip: pair-0.pair, machine_rank: 0}", True),
        ("{num_machines: 2, main_process_ip: pair-0.pair}", True),
        ("{num_machines: 1}", False),
        ("{num_machines: 2, distributed_type: DEEPSPEED}", False),
        ("not a mapping", False),
    ],
)
def test_what_accelerate_reads_in_a_config_map(settings: str, wrong: bool) -> None:
    command = "accelerate, launch, --config_file, /etc/run/a.yaml, train.py"
    text = PAIR.format(
        command=command,
        image="a/b:1",
        more="volumeMounts: [{name: config, mountPath: /etc/run}]",
    )
    text += f"""      volumes: [{{name: config, configMap: {{name: settings}}}}]
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: settings, namespace: ml}}
data: {{a.yaml: "{settings}"}}
"""
    assert bool(said(text, "GPU756")) is wrong


def test_workers_without_a_number_are_the_leader_once_more() -> None:
    text = GROUP.format(rank="")
    assert len(said(text, "GPU756")) == 1
    assert not said(GROUP.format(rank=", --node-rank, $(LWS_WORKER_INDEX)"), "GPU756")


@pytest.mark.parametrize(
    "line",
    ["pip install a && python b.py", "python a.py; python b.py", '"cd /a\\npython b.py"', "a | b"],
)
def test_a_line_that_the_submitter_cuts(line: str) -> None:
    assert len(said(ray(line), "GPU757")) == 1


@pytest.mark.parametrize(
    "line",
    [
        "python a.py 2>&1",
        "bash -c 'a && b'",
        'python -c "a; b"',
        '"python a.py\\n"',
        "python a\\;b",
    ],
)
def test_a_line_that_stays_whole(line: str) -> None:
    assert not said(ray(line), "GPU757")


def test_a_line_that_no_shell_sees_is_not_cut() -> None:
    more = "shutdownAfterJobFinishes: true\n  submissionMode: HTTPMode"
    assert not said(ray("a && b", more), "GPU757")


def test_a_driver_waits_for_more_gpus_than_a_pod_has() -> None:
    more = "shutdownAfterJobFinishes: true\n  entrypointNumGpus: {}"
    assert said(ray("python a.py", more.format(3)), "GPU757")
    assert not said(ray("python a.py", more.format(2)), "GPU757")


def test_a_launcher_computes_only_as_a_worker() -> None:
    assert said(mpi(), "GPU758")
    assert not said(mpi(more="runLauncherAsWorker: true"), "GPU758")


@pytest.mark.parametrize(
    ("policy", "held"),
    [
        ("{}", True),
        ("{cleanPodPolicy: None}", True),
        ("{cleanPodPolicy: Running}", False),
        ("{cleanPodPolicy: All}", False),
        ("{ttlSecondsAfterFinished: 600}", False),
    ],
)
def test_workers_of_mpi_outlive_the_launcher(policy: str, held: bool) -> None:
    assert bool(said(mpi(policy), "GPU759")) is held


@pytest.mark.parametrize(
    ("more", "held"),
    [
        ("backoffLimit: 0", True),
        ("ttlSecondsAfterFinished: 600", True),
        ("shutdownAfterJobFinishes: true", False),
        ("clusterSelector: {ray.io/cluster: theirs}", False),
        ("deletionStrategy: {onSuccess: {policy: DeleteCluster}}", False),
    ],
)
def test_a_cluster_outlives_its_job(more: str, held: bool) -> None:
    assert bool(said(ray("python a.py", more), "GPU759")) is held


def test_what_is_true_of_a_rayjob_is_true_of_those_of_a_schedule() -> None:
    lines = (
        ray("a && b", "backoffLimit: 0").replace("kind: RayJob", "kind: RayCronJob").splitlines()
    )
    at = lines.index("spec:") + 1
    schedule = ['  schedule: "0 2 * * *"', "  jobTemplate:"]
    text = "\n".join([*lines[:at], *schedule, *(f"  {line}" for line in lines[at:])])
    found = {(one.rule.code, one.finding().path) for one in raised(text)}
    assert ("GPU757", "spec.jobTemplate.entrypoint") in found
    assert ("GPU759", "spec.jobTemplate.shutdownAfterJobFinishes") in found


@pytest.mark.parametrize(
    ("limits", "level"), [("nvidia.com/gpu: 1", "warning"), ("cpu: 1", "info")]
)
def test_a_job_that_runs_again_has_its_gpus_again(limits: str, level: str) -> None:
    (found,) = of(
        "GPU726",
        f"""\
apiVersion: batch/v1
kind: Job
metadata: {{name: a, annotations: {{argocd.argoproj.io/sync-wave: "1"}}}}
spec:
  ttlSecondsAfterFinished: 60
  template:
    spec:
      restartPolicy: Never
      containers: [{{name: a, image: "a/b:1", resources: {{limits: {{{limits}}}}}}}]
""",
    )
    assert (found.severity, "GPUs" in found.message) == (level, level == "warning")
