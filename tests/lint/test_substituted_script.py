"""GPU769: variables that Flux fills in, beyond what its page shows."""

from pathlib import Path

import pytest

import gpuspec

FLUX = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: NAME, namespace: ai}
spec:
  interval: 1h
  path: PATH
  prune: true
  sourceRef: {kind: GitRepository, name: flux-system}
  postBuild: POST
"""
SCRIPT = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: fetch, namespace: ai, annotations: {}}
data:
  fetch.sh: |
    model=$1
    curl -o "/models/${model}.gguf" "$URL"
"""
SUBSTITUTES = "{substitute: {DOMAIN: example.com}}"


def said(folder: Path, script: str = SCRIPT, *kustomizations: tuple[str, str]) -> list[str]:
    """What is said of the script in `apps/models/app`, by Kustomizations of some folders."""
    (folder / "apps" / "models" / "app").mkdir(parents=True)
    (folder / "apps" / "models" / "app" / "fetch.yaml").write_text(script)
    given = kustomizations or (("./apps/models/app", SUBSTITUTES),)
    texts = [
        FLUX.replace("NAME", f"k{index}").replace("PATH", path).replace("POST", post)
        for index, (path, post) in enumerate(given)
    ]
    (folder / "ks.yaml").write_text("---\n".join(texts))
    found = gpuspec.lint(str(folder)).findings
    return [one.message for one in found if one.rule == "GPU769"]


def test_the_kustomization_of_the_folder_fills_it_in(tmp_path: Path) -> None:
    (message,) = said(tmp_path)
    assert "`${model}`" in message


@pytest.mark.parametrize(
    "given",
    [
        [("./apps/other", SUBSTITUTES)],
        [("./apps", SUBSTITUTES), ("./apps/models/app", "{}")],
        [("./apps/models/app", "{substitute: {model: llama}}")],
    ],
)
def test_another_one_does_not(tmp_path: Path, given: list[tuple[str, str]]) -> None:
    assert not said(tmp_path, SCRIPT, *given)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("${model}", "$${model}"),
        ("${model}", "$model"),
        ("model=$1", "echo"),
        ("annotations: {}", "annotations: {kustomize.toolkit.fluxcd.io/substitute: disabled}"),
    ],
)
def test_what_is_left_to_the_script_or_to_flux_is_right(
    tmp_path: Path, right: str, wrong: str
) -> None:
    assert not said(tmp_path, SCRIPT.replace(right, wrong))
