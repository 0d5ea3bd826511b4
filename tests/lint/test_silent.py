"""What a rule once said of manifests in which nothing is wrong: the file's name tells which."""

from pathlib import Path

import pytest

import gpuspec
from tests.lint.cases import FOLDER
from tests.lint.pages import raised

FILES = sorted((FOLDER / "silent").glob("*.yaml"))
FOLDERS = sorted(each for each in (FOLDER / "silent").iterdir() if each.is_dir())


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_rule_is_silent_or_says_a_word_for_information(file: Path) -> None:
    code = file.stem.partition("-")[0]
    said = [one.finding() for one in raised(file.read_text())]
    loud = [one.message for one in said if one.rule == code and one.severity != "info"]
    assert not loud


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_files_side_by_side(folder: Path) -> None:
    code = folder.name.partition("-")[0]
    said = gpuspec.lint(str(folder), select=[code]).findings
    assert [one.message for one in said if one.severity != "info"] == []


def test_the_utilities_of_an_image_take_no_memory_for_a_model() -> None:
    text = (FOLDER / "silent" / "GPU723-nim-download-to-cache.yaml").read_text()
    assert "GPU907" not in [one.rule.code for one in raised(text)]


def test_a_container_without_a_name_is_told_by_its_object() -> None:
    text = """\
apiVersion: apps.nvidia.com/v1alpha1
kind: NIMService
metadata: {name: llm}
spec: {image: {repository: nvcr.io/nim/meta/llama, tag: 1.0.0}, resources: {limits: {nvidia.com/gpu: 1}}}
"""
    (said,) = [one.found.message for one in raised(text) if one.rule.code == "GPU108"]
    assert said.startswith("the NIMService sets no memory request")


@pytest.mark.parametrize(
    "image",
    [
        "us-docker.pkg.dev/deeplearning-platform-release/gcr.io/huggingface-text-generation-inference-cu124.2-3.ubuntu2204.py311:2.3",
        "763104351884.dkr.ecr.us-east-1.amazonaws.com/huggingface-pytorch-tgi-inference:2.7-tgi3.3",
        "us-docker.pkg.dev/vertex-ai/vertex-vision-model-garden-dockers/pytorch-vllm-serve:1",
        "registry.redhat.io/rhaiis/vllm-cuda-rhel9:3.2",
        "rocm/vllm-dev:nightly",
    ],
)
def test_other_builders_images_of_a_server_are_that_server(image: str) -> None:
    text = f"""\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: chat}}
spec:
  selector: {{matchLabels: {{app: chat}}}}
  template:
    metadata: {{labels: {{app: chat}}}}
    spec: {{containers: [{{name: main, image: "{image}", resources: {{limits: {{nvidia.com/gpu: 1}}}}}}]}}
"""
    assert "GPU503" in [one.rule.code for one in raised(text)]


def test_a_version_whose_fields_are_elsewhere_is_no_fix() -> None:
    text = "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {name: c}\nspec: {resourceClassName: gpu}\n"
    (said,) = [one.found for one in raised(text) if one.rule.code == "GPU013"]
    assert said.fix is None
