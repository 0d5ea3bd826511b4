"""Contracts, and images that move."""

import pytest

from tests.lint.edges import Edge, spoken

EDGES = (
    # C-44: images.
    Edge(
        "C-44 a build", "pod", "spec: {containers: [{name: main, image: a.io/t:nightly-4f2e91c}]}"
    ),
    Edge("C-44 to be filled in", "pod", "spec: {containers: [{name: main, image: $IMAGE}]}"),
    Edge(
        "C-44 a helper's",
        "pod",
        "spec: {initContainers: [{name: get, image: busybox, securityContext: "
        "{allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}}]}",
        ("GPU906 info",),
    ),
    Edge(
        "C-44 what holds a GPU and does nothing with it: no CUDA, no weights, nothing in /dev/shm",
        "pod",
        "spec: {containers: [{name: main, image: k8s.gcr.io/pause, command: null, resources: {requests: {memory: "
        "null, nvidia.com/gpu: 8}, limits: {memory: null, nvidia.com/gpu: 8}}, volumeMounts: null}]}",
        ("GPU906 info",),
    ),
    # C-46, C-66: contracts.
    Edge(
        "C-46 C-66 all kept",
        "pod",
        "metadata: {labels: {owner: research}}",
        (),
        "contracts",
    ),
    Edge(
        "C-46 C-66 none kept",
        "pod",
        "spec: {containers: [{name: main, image: 'ghcr.io/others/x:1', resources: {limits: {memory: "
        "null}}}]}",
        ("GPU615 error", "GPU616 error", "GPU617 error"),
        "contracts",
    ),
)


@pytest.mark.parametrize("edge", EDGES, ids=lambda edge: edge.shows)
def test_edges(edge: Edge) -> None:
    assert spoken(edge) == sorted(edge.said)
