"""Images against the registries and digests that an organisation's contracts ask for."""

import pytest
from yaml import safe_dump, safe_load

from tests.lint.pages import HERE, merge, raised

DIGEST = f"@sha256:{'a1' * 32}"


def said(image: str, profile: str = "contracts", of: str = "containers") -> list[str]:
    """What is said of the clean pod with this image for one of its containers."""
    pod = merge(
        safe_load((HERE / "bases" / "pod.yaml").read_text()),
        {"metadata": {"labels": {"owner": "research"}}},
    )
    (main,) = pod["spec"]["containers"]
    pod["spec"].setdefault(of, [{**main, "name": "first"}])[0]["image"] = image
    found = [one.finding() for one in raised(safe_dump(pod), profile)]
    contract = [one for one in found if one.rule == "GPU615"]
    assert all(one.path == f"spec.{of}[0].image" for one in contract)
    assert all("use an image of an allowed registry" in str(o.note) for o in contract)
    return [one.message for one in contract]


@pytest.mark.parametrize(
    "image",
    [
        "ghcr.io/example/train:2.3.1",
        "ghcr.io/example/teams/vision/train",
        "vllm/vllm-openai:v0.33.0",
        "docker.io/vllm/vllm-openai:v0.33.0",
    ],
)
def test_an_image_of_an_allowed_registry_or_a_folder_of_it(image: str) -> None:
    """C-66: Docker Hub's images are its own with its host and without."""
    assert said(image + DIGEST) == []


@pytest.mark.parametrize(
    ("image", "place"),
    [
        ("docker.io/somebody/train:2.3.1", "docker.io/somebody"),
        ("somebody/train:2.3.1", "docker.io/somebody"),
        ("pytorch:2.9", "docker.io/library"),
        ("ghcr.io/examples/train:2.3.1", "ghcr.io/examples"),
        ("registry.example:5000/ghcr.io/example/train", "registry.example:5000/ghcr.io/example"),
    ],
)
@pytest.mark.parametrize("of", ["containers", "initContainers"])
def test_an_image_from_anywhere_else(image: str, place: str, of: str) -> None:
    """C-66: said of every container, with what is allowed."""
    allowed = "not in `ghcr.io/example` or `vllm`: the profile's `contracts` do not allow it"
    assert said(image + DIGEST, of=of) == [f"the image is in `{place}`, {allowed}"]
    assert said(image + DIGEST, profile="h100", of=of) == []


def test_an_image_without_a_digest() -> None:
    """C-66: a tag may be another image tomorrow, and its signature another's."""
    tail = "the profile's `contracts` do not allow it"
    assert said("ghcr.io/example/train:2.3.1") == [f"the image has no digest: {tail}"]
    (both,) = said("somebody/train:2.3.1")
    assert both.startswith("the image is in `docker.io/somebody`")
    assert both.endswith(f"and has no digest: {tail}")
    assert said("${IMAGE}") == []
