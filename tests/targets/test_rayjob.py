"""Workers that a RayJob carries: what its cluster is told, what runs on its head, what it refuses."""

import pytest

from tests.targets.conftest import TRAINING, Run, Values

HERE: Values = {"installed": {"kuberay": "1.6", "kueue": "0.19"}, "targets": {"gang": "rayjob"}}
SEVERAL = TRAINING | {"workers": 4, "run": "1", "gpu": {"count": 2}, "dataLoaders": 2}


def rayjob(run: Run, spec: Values = {}) -> Values:  # noqa: B006
    (made,) = run.objects("Training", SEVERAL | spec, **HERE)
    assert (made["apiVersion"], made["kind"]) == ("ray.io/v1", "RayJob")
    found: Values = made["spec"]
    return found


def group(made: Values) -> Values:
    (found,) = made["rayClusterSpec"]["workerGroupSpecs"]
    assert isinstance(found, dict)
    return found


def pods(made: Values) -> list[Values]:
    """The head's, a worker's, the submitter's."""
    cluster = made["rayClusterSpec"]
    templates = (cluster["headGroupSpec"]["template"], group(made)["template"])
    return [each["spec"] for each in (*templates, made["submitterPodTemplate"])]


def test_the_cluster_is_of_the_workers_and_of_no_fewer(run: Run) -> None:
    made = rayjob(run)
    (size,) = {group(made)[each] for each in ("replicas", "minReplicas", "maxReplicas")}
    assert size == 4
    assert "enableInTreeAutoscaling" not in made["rayClusterSpec"]
    assert "suspend" not in made


def test_the_head_offers_nothing_and_a_worker_what_it_has(run: Run) -> None:
    resources = {"cpu": 10, "memory": "64Gi", "shm": "8Gi"}
    made = rayjob(run, {"resources": resources})
    params = made["rayClusterSpec"]["headGroupSpec"]["rayStartParams"]
    assert (params["num-gpus"], params["num-cpus"]) == ("0", "0")
    assert group(made)["rayStartParams"] == {
        "num-cpus": "10",
        "num-gpus": "2",
        "memory": str(64 << 30),
        "object-store-memory": str(4 << 30),
    }


def test_the_command_runs_on_the_head_and_nowhere_else(run: Run) -> None:
    """Word by word, without a launcher's, and no container of the cluster has a command."""
    made = rayjob(run, {"command": ["python", "-m", "train"], "args": ["--name", "a b"]})
    assert made["entrypoint"] == "python -m train --name 'a b'"
    for pod in pods(made):
        (main,) = pod["containers"]
        assert not {"command", "args"} & main.keys()
        assert not any(each["name"].startswith(("MASTER_", "NNODES")) for each in main["env"])


def test_pods_without_gpus_go_anywhere_and_see_none(run: Run) -> None:
    for pod in pods(rayjob(run))[::2]:
        (main,) = pod["containers"]
        assert "tolerations" not in pod
        assert "nvidia.com/gpu" not in main["resources"]["limits"]
        assert {"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"} in main["env"]


def test_the_head_has_the_data_and_no_folder_of_a_node(run: Run) -> None:
    more = {
        "dataset": {"pvc": "tokens"},
        "volumes": [{"mount": "/scratch", "hostPath": "/mnt/nvme"}],
        "waivers": {"hostPath": "scratch on the node"},
    }
    head, worker, submitter = (
        {each["name"] for each in pod["volumes"]} for pod in pods(rayjob(run, more))
    )
    (folder,) = worker - head
    assert "scratch" in folder
    assert "dataset" in head
    assert submitter == {"tmp"}


def test_the_cluster_lets_go_of_its_gpus_at_once(run: Run) -> None:
    made = rayjob(run, {"retries": {"limit": 2}})
    assert (made["shutdownAfterJobFinishes"], made["ttlSecondsAfterFinished"]) == (True, 0)
    assert made["backoffLimit"] == 2


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("rayproject/ray:2.54.0-py312-cu128", "2.54.0"),
        ("mirror.example.com/rayproject/ray-llm:2.54.1", "2.54.1"),
        ("ghcr.io/example/ray-train:1.4.0", None),
        ("rayproject/ray:latest", None),
    ],
)
def test_the_version_is_that_of_rays_own_image(run: Run, image: str, version: str | None) -> None:
    assert rayjob(run, {"image": image})["rayClusterSpec"].get("rayVersion") == version


def test_under_a_queue_workers_leave_room_for_the_others(run: Run) -> None:
    """On a share that nobody asked for; what the spec says stays."""
    whole = {"gpu": {"models": ["H100-80GB"], "count": 8}}
    alone, queued = (
        group(rayjob(run, whole | more))["template"]["spec"]["containers"][0]["resources"][
            "requests"
        ]
        for more in ({}, {"queue": "research"})
    )
    assert (alone["cpu"], queued["cpu"]) == ("86", "83")
    said = rayjob(run, {"queue": "research", "resources": {"cpu": 21}})
    main = group(said)["template"]["spec"]["containers"][0]
    assert main["resources"]["requests"]["cpu"] == "21"


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"launcher": "torchrun"}, "`launcher: torchrun` does not work with target rayjob"),
        ({"command": ["torchrun", "train.py"]}, "`torchrun train.py` starts processes on the head"),
        ({"command": []}, "a RayJob runs a `command` on its head, but the spec has none"),
        ({"retries": {"failOnExitCodes": [3, 127]}}, "ignores exit codes: it would retry after 3"),
        ({"ttlAfterFinished": "1d"}, "KubeRay never deletes a RayJob"),
        ({"run": "r" * 43}, "the name of the RayJob has 48 characters, 1 too many"),
        (
            {"gpu": {"models": ["Gaudi3"], "count": 8}},
            "Ray does not count habana.ai/gaudi as a GPU",
        ),
        (
            {"roles": [{"name": "loader", "resources": {"cpu": 1, "memory": "1Gi"}}]},
            "target rayjob supports only workers",
        ),
    ],
)
def test_what_ray_cannot_start_is_refused(run: Run, spec: Values, why: str) -> None:
    assert why in run.refused("Training", SEVERAL | spec, **HERE)
