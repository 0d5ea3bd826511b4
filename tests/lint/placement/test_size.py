"""What a pod asks for against what a node has."""

import pytest

from tests.lint.placement.pods import context, findings, pod


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("requests: {cpu: 188}", None),
        ("requests: {cpu: 189}", "warning"),
        ("requests: {cpu: 191}", "error"),
        ("limits: {memory: 2Ti}", "error"),
        ("requests: {ephemeral-storage: 7Ti}", "error"),
    ],
)
def test_what_a_node_leaves_and_what_it_has(asked: str, said: str | None) -> None:
    """C-01: sure above what is allocatable, likely above what DaemonSets leave of it."""
    resources = asked.replace("}", ", nvidia.com/gpu: 1}")
    if resources.startswith("requests"):
        resources += ", limits: {nvidia.com/gpu: 1}"
    found = findings(pod(resources=resources), "GPU205", profile="h100")
    assert [one.severity for one in found] == ([said] if said else [])


def test_more_gpus_than_a_node_has() -> None:
    """C-02: a pod runs on one node."""
    text = pod(resources="limits: {nvidia.com/gpu: 16}")
    [found] = findings(text, "GPU205", profile="h100")
    assert found.severity == "error"
    assert not findings(text, "GPU205")
    assert findings(text.replace("16", "64"), "GPU205")
    shares = {"mode": "time-slicing", "replicas": 4, "rename": False}
    assert not findings(text, "GPU205", context=context(sharing=shares))


def test_a_sidecar_counts_and_an_init_container_overlaps() -> None:
    text = """
apiVersion: v1
kind: Pod
metadata: {name: one}
spec:
  initContainers:
    - {name: first, image: a/b:1, POLICYresources: {requests: {cpu: 100}}}
  containers:
    - {name: main, image: a/b:1, resources: {requests: {cpu: 100}, limits: {nvidia.com/gpu: 1}}}
"""
    assert not findings(text.replace("POLICY", ""), "GPU205", profile="h100")
    assert findings(text.replace("POLICY", "restartPolicy: Always, "), "GPU205", profile="h100")


@pytest.mark.parametrize(
    ("device", "interfaces", "said"),
    [
        (
            "nvidia.com/mig-1g.10gb",
            1,
            ["but in profile `slices-beside-fabric` a node of pool `slices` has no"],
        ),
        ("nvidia.com/gpu", 1, []),
        ("nvidia.com/gpu", 9, ["a node of pool `whole` has 8 × `rdma/hca`"]),
    ],
)
def test_one_node_has_all_of_it(device: str, interfaces: int, said: list[str]) -> None:
    """A device of one pool and the fabric of another are never on one node."""
    text = pod(resources=f"limits: {{{device}: 1, rdma/hca: {interfaces}}}")
    found = findings(text, "GPU205", profile="slices-beside-fabric")
    assert len(found) == len(said)
    for one, part in zip(found, said, strict=True):
        assert part in one.message
        assert one.severity == "error"
