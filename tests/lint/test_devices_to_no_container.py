"""GPU781: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: train, namespace: ml, annotations: {KEY: "- path: /dev/nvidia0"}}
spec:
  initContainers:
    - {name: tcpxo-daemon, restartPolicy: Always, image: IMAGE, MORE}
  containers:
    - {name: main, image: x, resources: {limits: {nvidia.com/gpu: 8}}}
"""
IMAGE = "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpxo/tcpgpudmarxd-dev:v1.0.21"
OWN = "devices.gke.io/container.tcpxo-daemon"
PLAIN, PRIVILEGED = "stdin: false", "securityContext: {privileged: true}"


def said(key: str, image: str = IMAGE, more: str = PLAIN) -> list[str]:
    text = POD.replace("KEY", key).replace("IMAGE", image).replace("MORE", more)
    return [one.finding().message for one in raised(text) if one.rule.code == "GPU781"]


def test_a_daemon_by_the_name_of_its_annotation_is_right() -> None:
    assert said(OWN) == []


def test_a_container_that_was_renamed_is_named_and_so_is_its_daemon() -> None:
    wrong, without = said("devices.gke.io/container.rxdm")
    assert "container `rxdm`, but the pod has only `tcpxo-daemon`, `main`" in wrong
    assert "`tcpxo-daemon` manages GPU memory" in without


@pytest.mark.parametrize(
    ("image", "more", "found"),
    [
        (IMAGE, PLAIN, True),
        (IMAGE, PRIVILEGED, False),
        ("ghcr.io/example/rxdm:1", PLAIN, False),
        (IMAGE, "resources: {limits: {nvidia.com/gpu: 1}}", False),
    ],
)
def test_a_daemon_without_devices(image: str, more: str, found: bool) -> None:
    """One that is privileged sees all; of an image of one's own nothing is known."""
    assert bool(said("team", image, more)) is found
