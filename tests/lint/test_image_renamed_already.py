"""GPU875, and what is said of images that kustomizations change: it takes several files."""

import pytest

from gpuspec.lint.engine import Engine
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import SourceFile

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: decode, namespace: llm}
spec:
  selector: {matchLabels: {app: decode}}
  template:
    metadata: {labels: {app: decode}}
    spec:
      containers:
        - name: server
          image: MODEL_SERVER
          resources: {limits: {google.com/tpu: 8, memory: 64Gi}}
"""
HEAD = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"
BASE = HEAD + "resources: [deployment.yaml]\n"
RENAMED = "images: [{name: MODEL_SERVER, newName: vllm/vllm-tpu}]\n"


def said(base: str, overlay: str, *others: str) -> dict[str, str]:
    """The place of each finding of three rules; `others` are more overlays."""
    files = {
        "base/deployment.yaml": DEPLOYMENT,
        "base/kustomization.yaml": BASE + base,
        "tpu/kustomization.yaml": HEAD + overlay,
        **{f"{at}/kustomization.yaml": HEAD + other for at, other in enumerate(others)},
    }
    engine = Engine(lambda code: code in ("GPU015", "GPU875", "GPU906"))
    loader = TextLoader([SourceFile(name, text) for name, text in files.items()])
    return {one.rule.code: one.finding().path for one in engine.run(loader)}


def test_a_name_that_the_base_has_changed() -> None:
    found = said(RENAMED, "resources: [../base]\nimages: [{name: MODEL_SERVER, newTag: v1}]\n")
    assert found == {"GPU875": "images[0].name", "GPU906": "spec.template.spec.containers[0].image"}


@pytest.mark.parametrize(
    ("base", "overlay"),
    [
        ("", "images: [{name: MODEL_SERVER, newName: vllm/vllm-tpu, newTag: v1}]\n"),
        (RENAMED, "images: [{name: vllm/vllm-tpu, newTag: v1}]\n"),
        ("images: [{name: MODEL_SERVER, newName: a, digest: 'sha256:12'}]\n", ""),
    ],
)
def test_images_are_read_as_kustomizations_leave_them(base: str, overlay: str) -> None:
    assert said(base, "resources: [../base]\n" + overlay) == {}


def test_an_overlay_that_pins_a_tag_pins_none_for_another() -> None:
    pinned = "resources: [../base]\nimages: [{name: vllm/vllm-tpu, newTag: v1}]\n"
    assert said(RENAMED, pinned, pinned) == {}
    for overlays in ((pinned, "resources: [../base]\n"), ("resources: [../base]\n", pinned)):
        assert list(said(RENAMED, *overlays)) == ["GPU906"]
    # An overlay of an overlay has what that pins.
    assert said(RENAMED, pinned, "resources: [../tpu]\n") == {}


def test_kustomizations_that_build_from_each_other() -> None:
    assert "GPU015" in said(RENAMED, "resources: [../base, ../0]\n", "resources: [../tpu]\n")


def test_what_no_kustomization_fills_in() -> None:
    assert "GPU015" in said("images: [{name: OTHER, newTag: v1}]\n", "resources: [../base]\n")


def test_an_image_that_may_come_from_elsewhere() -> None:
    overlay = "resources: [../base, own.yaml]\nimages: [{name: MODEL_SERVER, newTag: v1}]\n"
    assert "GPU875" not in said(RENAMED, overlay)
