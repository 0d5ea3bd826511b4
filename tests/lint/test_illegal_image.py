"""GPU796: beyond what its page shows; and GPU015, where the name is still to be filled in."""

import pytest

from tests.lint.pages import raised
from tests.lint.plain import POD

IMAGE = next(line for line in POD.splitlines() if "image:" in line).partition("image:")[2].strip()
KUSTOMIZATION = """\
---
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
images: [{name: Example/Server, newName: registry.example.com/server}]
"""


def said(image: str, more: str = "") -> list[str]:
    found = raised(POD.replace(IMAGE, f'"{image}"', 1) + more)
    return [one.rule.code for one in found if one.rule.code in ("GPU015", "GPU796")]


@pytest.mark.parametrize(
    "image",
    [
        "https://docker.io/library/busybox:1",
        "example/server:",
        "example/Server:1",
        "example/a server:1",
        "example/server:1@sha256:abc",
        "example/server:v1/2",
        "example/-server",
    ],
)
def test_what_no_runtime_can_read_is_said(image: str) -> None:
    assert said(image) == ["GPU796"]


@pytest.mark.parametrize(
    "image",
    [
        "example/server",
        "Registry.example.com:5000/team/server:V1.2_a",
        f"example/server:1@sha256:{'0' * 64}",
        f"example/server@sha512:{'0' * 128}",
        "[fd00::1]:5000/team/server:1",
        "ko://example.com/cmd/server",
        "%IMAGE_NAME%",
    ],
)
def test_what_is_a_name_or_is_filled_in_is_not(image: str) -> None:
    assert said(image) == []


def test_what_a_kustomization_replaces_is_no_name_yet() -> None:
    assert said("Example/Server:1", KUSTOMIZATION) == []


@pytest.mark.parametrize(
    "image", ["IMAGE", "IMAGE_PLACEHOLDER_API", "gcr.io/PROJECT_ID/server:1", "REGISTRY/server"]
)
def test_a_word_in_capitals_is_a_placeholder(image: str) -> None:
    assert said(image) == ["GPU015"]
