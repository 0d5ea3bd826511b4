"""The life of a TrainJob whose pods are of a runtime that the platform keeps: what reaches them, and what stays the runtime's."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from tests.control_plane.client import Object, Ref
from tests.control_plane.conftest import Worlds
from tests.control_plane.meeting import differences, resolve, variables
from tests.control_plane.specs import H100, pool, queue, training
from tests.control_plane.stories import World
from tests.control_plane.test_life_trainjob import IN_CONTAINER, OTHERWISE, TRAINER

pytestmark = pytest.mark.control_plane
NAMED = {"targets": {"gang": "trainjob"}, "runtimes": {"training": {"name": "torch-distributed"}}}
# As Trainer 2.3 brings it, but for the image, which each run names.
TORCH: Object = {
    "apiVersion": "trainer.kubeflow.org/v1alpha1",
    "kind": "ClusterTrainingRuntime",
    "metadata": {
        "name": "torch-distributed",
        "labels": {"trainer.kubeflow.org/framework": "torch"},
    },
    "spec": {
        "mlPolicy": {"numNodes": 1, "torch": {}},
        "template": {
            "spec": {
                "replicatedJobs": [
                    {
                        "name": "node",
                        "template": {
                            "metadata": {
                                "labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
                            },
                            "spec": {
                                "template": {
                                    "spec": {
                                        "containers": [
                                            {
                                                "name": "node",
                                                "image": "registry.example.com/torch:2",
                                            }
                                        ]
                                    }
                                }
                            },
                        },
                    }
                ]
            }
        },
    },
}
DECIDED = {
    # By Trainer's runtime a container that fails starts again in its pod.
    "spec.restartPolicy",
    "spec.automountServiceAccountToken",
    "spec.enableServiceLinks",
}
"""What the runtime decides of a pod."""


def platform(worlds: Worlds, **more: Any) -> World:
    """Nodes, and the runtime as the platform keeps it."""
    here = worlds(pool("h100", H100, nodes=4), **{**TRAINER, **NAMED, **more})
    here.create([deepcopy(TORCH)])
    return here


def gang(**more: Any) -> Object:
    return training("gang", workers=2, command=["python", "-m", "train"], **more)


def test_a_trainjob_is_stored_as_it_is_rendered(training_world: Worlds) -> None:
    """But for who sees to it, when it was patched, and Kueue's patch."""
    here = platform(training_world)
    (made,) = here.render(gang(duration={"max": "8h"}))
    answer = here.client.create(made)
    assert answer.warnings == ()
    stored = deepcopy(answer.object["spec"])
    assert stored.pop("managedBy") == "trainer.kubeflow.org/trainjob-controller"
    assert stored.pop("suspend") is False
    ours, kueues = stored.pop("runtimePatches")
    assert kueues["manager"] == "kueue.x-k8s.io/manager"
    assert ours.pop("time")
    (expected,) = made["spec"].pop("runtimePatches")
    assert ours == expected
    assert stored == made["spec"]


def test_its_pods_are_those_of_a_jobset_but_for_what_the_runtime_decides(
    training_world: Worlds,
) -> None:
    """Of the same spec: devices, tolerations, environment, volumes, identity and security."""
    here = platform(training_world)
    spec: Object = {
        "checkpoint": {"pvc": "kept", "every": "1h", "save": "5m"},
        "env": {"SEED": "1", "KEY": {"secret": "tracker", "key": "token"}},
        "imagePullSecrets": ["registry"],
        "podLabels": {"example.com/team": "a"},
        "dataLoaders": 2,
    }
    made = [here.submit(gang(target=target, **spec)) for target in ("trainjob", "jobset")]
    here.until(lambda: [len(here.pods(each)) for each in made] == [2, 2], "all pods are made")
    for mine, theirs in zip(*map(here.pods, made), strict=True):
        found = differences(mine, theirs)
        tokens = {each for each in found if each.startswith("spec.volumes.kube-api-access")}
        assert found - tokens <= DECIDED | OTHERWISE | {
            "spec.subdomain",
            "metadata.annotations.jobset.sigs.k8s.io/jobset-name",
            "metadata.labels.jobset.sigs.k8s.io/jobset-name",
        }
        assert found & DECIDED
        inner = differences(
            *({"metadata": {}, "spec": pod["spec"]["containers"][0]} for pod in (mine, theirs))
        )
        changed = {each.removeprefix("spec.") for each in inner}
        token = {each for each in changed if each.startswith("volumeMounts.kube-api-access")}
        assert changed - token == IN_CONTAINER


def test_its_workers_find_the_first_and_run_under_restricted(training_world: Worlds) -> None:
    """A command that starts torchrun itself is told by the runtime's policy."""
    here = platform(training_world)
    job = here.submit(gang() | {"spec": gang()["spec"] | {"command": ["torchrun", "train.py"]}})
    here.started(job, 2)
    first, second = here.pods(job)
    (host,) = {variables(pod)["MASTER_ADDR"] for pod in (first, second)}
    here.wait(lambda: resolve(here, host), f"{host} is known")
    assert resolve(here, host) == [first["metadata"]["name"]]
    told = variables(second)
    assert (told["PET_MASTER_ADDR"], told["PET_MASTER_PORT"]) == (host, "29500")
    assert (told["PET_NNODES"], told["PET_NPROC_PER_NODE"]) == ("2", "8")
    here.finish(job)


def test_it_waits_in_its_queue_and_lies_in_one_rack(training_world: Worlds) -> None:
    """Kueue's patch stands behind ours: the pods tolerate the taint, and keep our affinity."""
    rack, host = "example.com/rack", "kubernetes.io/hostname"
    here = platform(
        training_world,
        queues=[queue("research", {"h100": 24})],
        topology={"levels": [{"name": "rack", "label": rack}, {"name": "host", "label": host}]},
    )
    first = here.submit(training("first", workers=2, queue="research", target="jobset"))
    here.started(first, 2)
    near = {"level": "rack", "required": True}
    job = here.submit(gang(queue="research", topology=near))
    assert "nvidia.com/gpu" in here.held(job)
    here.finish(first)
    nodes = [here.get(Ref("v1", "Node", each)) for each in here.started(job, 2)]
    assert len({each["metadata"]["labels"][rack] for each in nodes}) == 1
    (pod, _) = here.pods(job)
    taint = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
    assert taint in pod["spec"]["tolerations"]
    assert "nodeAffinity" in pod["spec"]["affinity"]
    here.finish(job)
