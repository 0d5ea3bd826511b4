"""Contracts, and images that move."""

import re
from pathlib import Path

import pytest

from tests.lint.edges import Edge, spoken
from tests.lint.patched import of
from tests.lint.plain import an
from tests.lint.plain import text as plain

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
        "spec: {containers: [{name: main, image: k8s.gcr.io/pause, command: null, env: null, resources: {requests: {memory: "
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


@pytest.mark.parametrize(
    ("base", "mode", "effect"),
    [
        ("knative-service", "", "Knative resolves the tag for each revision"),
        ("inferenceservice", "Knative", "Knative resolves the tag for each revision"),
        ("inferenceservice", "Standard", "two nodes can run different versions"),
    ],
)
def test_knative_keeps_the_image_of_a_revision(base: str, mode: str, effect: str) -> None:
    """C-44: its tag-to-digest resolution."""
    path = Path(__file__).parent / "bases" / f"{base}.yaml"
    text = re.sub(r"image: \S+", "image: a/b:latest", path.read_text())
    text = re.sub(r"( +)modelFormat:", r"\1image: a/b:latest\n\1modelFormat:", text)
    text = text.replace("deploymentMode: Standard", f"deploymentMode: {mode}")
    messages = [one.message for one in of("GPU906", text)]
    assert messages
    assert all(effect in message for message in messages)


@pytest.mark.parametrize(
    ("tag", "policy", "effect"),
    [
        ("latest", None, "a restart can bring another"),
        ("latest", "IfNotPresent", "each node keeps its pulled image"),
        ("latest", "Never", "the kubelet never pulls the image"),
        # Only `latest` is pulled at each start where nothing is written.
        ("nightly", None, "each node keeps its pulled image"),
        ("nightly", "Always", "a restart can bring another"),
    ],
)
def test_a_restart_brings_another_image_only_if_it_is_pulled(
    tag: str, policy: str | None, effect: str
) -> None:
    resources = {"limits": {"nvidia.com/gpu": 1}}
    container = {"name": "main", "image": f"a/b:{tag}", "resources": resources}
    if policy is not None:
        container["imagePullPolicy"] = policy
    (found,) = of("GPU906", plain(an("v1", "Pod", spec={"containers": [container]})))
    assert effect in found.message
