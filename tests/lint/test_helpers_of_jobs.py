"""GPU723 of helpers, GPU111 of quota keys, GPU703 of MPI launchers, GPU201 of pods without devices."""

import pytest

import gpuspec
from gpuspec.lint.engine import Engine
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import SourceFile
from tests.lint.pages import raised

JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: tune}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - {name: train, image: x, command: [python, train.py], resources: {limits: {nvidia.com/gpu: 1}}}
        - {name: other, IMAGE}
"""


@pytest.mark.parametrize(
    ("image", "found"),
    [
        ("image: board, command: [tensorboard, --logdir, /logs]", True),
        ("image: board, command: [/usr/bin/tensorboard]", True),
        ("image: nvcr.io/nvidia/k8s/dcgm-exporter:4.2", True),
        ("image: nginx:1.29", True),
        ("image: nginx:1.29, command: [sh, -c, done]", False),
        ("image: uploader:1", False),
        ("image: eu.example.com/gpudirect-tcpx/tcpgpudmarxd-dev:v2.0.12", True),
        ("image: x, command: [/tcpgpudmarxd/build/app/tcpgpudmarxd, --gpu_nic_preset, a3vm]", True),
        ("image: x, command: [sh, -c, /fts/entrypoint_rxdm_container.sh --num_hops=2]", True),
        ("image: otel/opentelemetry-collector-contrib:0.110.0", True),
        ("image: redis:7.4", True),
        ("image: x, command: [warm, --cache, redis]", False),
        ("image: busybox:1, command: [sleep, infinity]", True),
        ("image: busybox:1, command: [sleep, '60']", False),
        ("image: busybox:1, command: [sh, -c, 'tail -F /log/train']", True),
        ("image: busybox:1, command: [sh, -c, 'while true; do sync; sleep 9; done']", True),
        (
            "image: b:1, command: [sh, -c, 'while true; do test -e /done && exit; sleep 9; done']",
            False,
        ),
        # Goes on in its script, and waits for the file that the work leaves at its end.
        (
            "image: x, command: [sh, -c, '/fts/entrypoint_rxdm_container.sh & wait-for /done']",
            False,
        ),
    ],
)
def test_a_helper_that_never_ends(image: str, found: bool) -> None:
    said = [one for one in raised(JOB.replace("IMAGE", image)) if one.rule.code == "GPU723"]
    assert bool(said) is found
    for one in said:
        assert one.finding().path == "spec.template.spec.containers[1]"
        assert one.found.fix is not None


def test_a_deadline_ends_it_too() -> None:
    text = JOB.replace("IMAGE", "image: nginx:1").replace(
        "spec:\n  t", "spec:\n  activeDeadlineSeconds: 60\n  t"
    )
    assert "GPU723" not in [one.rule.code for one in raised(text)]


@pytest.mark.parametrize("limit", [False, True])
def test_a_helper_of_a_pytorchjob(limit: bool) -> None:
    policy = "runPolicy: {activeDeadlineSeconds: 60}\n  " if limit else ""
    text = f"""apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{name: a}}
spec:
  {policy}pytorchReplicaSpecs:
    Master:
      replicas: 1
      template:
        spec:
          containers:
            - {{name: pytorch, image: "a/b:1", resources: {{limits: {{nvidia.com/gpu: 1}}}}}}
            - {{name: logs, image: "fluent/fluent-bit:3.1.9"}}
"""
    assert ("GPU723" in [one.rule.code for one in raised(text)]) is not limit


QUOTA = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: ml}\nspec: {hard: {KEY: 1}}\n"


@pytest.mark.parametrize(
    ("key", "found"),
    [
        ("nvidia.com/gpu", True),
        ("limits.amd.com/gpu", True),
        ("requests.nvidia.com/gpu", False),
        ("count/jobs.batch", False),
        ("gold.storageclass.storage.k8s.io/requests.storage", False),
        ("gpu.deviceclass.resource.k8s.io/devices", False),
        ("requests.memory", False),
    ],
)
def test_a_key_that_nothing_counts_by(key: str, found: bool) -> None:
    said = [one for one in raised(QUOTA.replace("KEY", key)) if one.rule.code == "GPU111"]
    assert bool(said) is found


@pytest.mark.parametrize(
    ("policy", "least", "found"),
    [("WaitForWorkersReady", 3, True), ("WaitForWorkersReady", 2, False), ("AtStartup", 3, False)],
)
def test_a_launcher_that_is_made_last(policy: str, least: int, found: bool) -> None:
    text = f"""\
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {{name: bench}}
spec:
  launcherCreationPolicy: {policy}
  runPolicy: {{schedulingPolicy: {{minAvailable: {least}}}}}
  mpiReplicaSpecs:
    Launcher: {{replicas: 1, template: {{spec: {{containers: [{{name: l, image: x}}]}}}}}}
    Worker: {{replicas: 2, template: {{spec: {{containers: [{{name: w, image: x}}]}}}}}}
"""
    said = [one.found.message for one in raised(text) if one.rule.code == "GPU703"]
    assert [("wait for each other" in each) for each in said] == ([True] if found else [])


BOUND = """\
apiVersion: v1
kind: Pod
metadata: {name: helper}
spec:
  nodeSelector: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}
  TOLERATIONS
  containers: [{name: cache, image: x, resources: {requests: {cpu: 1, memory: 1Gi}}}]
"""
TOLERATES = "tolerations: [{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}]"


@pytest.mark.parametrize(
    ("tolerations", "profile", "code"),
    [("", "h100", "GPU201"), (TOLERATES, "h100", "GPU105"), ("", None, "GPU105")],
)
def test_a_pod_without_a_device_stays_pending_or_runs_without_a_gpu(
    tolerations: str, profile: str | None, code: str
) -> None:
    found = raised(BOUND.replace("TOLERATIONS", tolerations), profile)
    assert [one.rule.code for one in found if one.rule.code in ("GPU105", "GPU201")] == [code]


@pytest.mark.parametrize(
    ("tolerations", "severity"),
    [
        ("", "warning"),
        ("tolerations: [{operator: Exists}]", "warning"),
        ("tolerations: [{key: team, operator: Exists}]", "warning"),
        (TOLERATES, "info"),
    ],
)
def test_whoever_tolerates_the_nodes_by_name_may_want_a_helper_there(
    tolerations: str, severity: str
) -> None:
    found = [one.finding() for one in raised(BOUND.replace("TOLERATIONS", tolerations))]
    assert [one.severity for one in found if one.rule == "GPU105"] == [severity]


@pytest.mark.parametrize(
    ("label", "tolerations", "profile", "becomes"),
    [
        ("cloud.google.com/gke-accelerator", "", None, "the pod stays Pending, since GKE taints"),
        (
            "cloud.google.com/gke-accelerator",
            TOLERATES,
            None,
            "the pod runs on a GPU node without a GPU",
        ),
        ("nvidia.com/gpu.present", "", None, "or stays Pending if the nodes are tainted"),
        ("nvidia.com/gpu.present", "", "gke", "the pod stays Pending, since GKE taints"),
        ("nvidia.com/gpu.present", "", "eks", "or stays Pending if the nodes are tainted"),
    ],
)
def test_what_becomes_of_it_without_pools_is_told_by_who_taints_the_nodes(
    label: str, tolerations: str, profile: str | None, becomes: str
) -> None:
    """GKE taints GPU nodes unasked, and its label tells its nodes."""
    text = BOUND.replace("TOLERATIONS", tolerations).replace("nvidia.com/gpu.product", label)
    known = gpuspec.load_profiles(profile)[0] if profile else None
    engine = Engine(lambda code: code == "GPU105", known)
    [found] = engine.run(TextLoader([SourceFile("pod.yaml", text)]))
    assert becomes in found.finding().message
