"""What must be on the cluster before the objects are: names that they do not bring with them."""

from types import ModuleType

import gpuspec
from tests.plan.conftest import Make


def needed(*made: gpuspec.Rendering) -> list[tuple[str, str, str, tuple[str, ...]]]:
    return [(one.namespace, one.kind, one.name, one.keys) for one in gpuspec.needed(made)]


def test_a_service_brings_its_account_and_needs_the_rest(make: Make) -> None:
    made = make(
        "Inference",
        namespace="serving",
        env={"KEY": {"secret": "keys", "key": "one"}, "OTHER": {"secret": "keys", "key": "two"}},
        imagePullSecrets=["registry"],
    )
    assert needed(made.rendering) == [
        ("", "Namespace", "serving", ()),
        ("serving", "PersistentVolumeClaim", "weights", ()),
        ("serving", "Secret", "keys", ("one", "two")),
        ("serving", "Secret", "registry", ()),
    ]


def test_what_every_cluster_has_is_not_needed(make: Make) -> None:
    assert needed(make("Training", run="one").rendering) == []


def test_queues_classes_and_apis_are_needed(make: Make, words: ModuleType) -> None:
    profile = words.cluster(
        words.pool(runtimeClass="nvidia"),
        installed={"kueue": "0.19", "jobset": "0.12"},
        priorities={"training": "gpu-training"},
    )
    made = make("Training", profile, queue="research", target="jobset", run="one")
    assert needed(made.rendering) == [
        ("", "API", "jobset.x-k8s.io", ()),
        ("", "PriorityClass", "gpu-training", ()),
        ("", "RuntimeClass", "nvidia", ()),
        ("default", "LocalQueue", "research", ()),
    ]


def test_what_one_workload_brings_another_need_not_find(make: Make) -> None:
    first = make("Inference", name="first").rendering
    second = make("Inference", name="second", serviceAccount="first").rendering
    accounts = {name for _, kind, name, _ in needed(second) if kind == "ServiceAccount"}
    assert accounts == {"first"}
    assert "ServiceAccount" not in {kind for _, kind, _, _ in needed(first, second)}
