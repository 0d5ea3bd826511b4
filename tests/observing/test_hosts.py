"""What Prometheus and Grafana fill in comes through every host as it was written."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuspec.hosts.helm import post_render
from gpuspec.hosts.krm import answer
from tests.hosts.programs import KUSTOMIZES, program
from tests.render.goldens import GOLDENS

TEXT = (GOLDENS / "oke/chat.yaml").read_text(encoding="utf-8")
KINDS = ("PrometheusRule", "ConfigMap")


def parts(documents: list[Any]) -> dict[str, Any]:
    """What is filled in later, by kind."""
    found = {one["kind"]: one.get("spec", one.get("data")) for one in documents if one}
    return {kind: found[kind] for kind in KINDS}


def read(text: str) -> dict[str, Any]:
    return parts(list(yaml.safe_load_all(text)))


def test_there_is_something_to_fill_in() -> None:
    assert "{{ $labels.pod }}" in str(read(TEXT)["PrometheusRule"])
    assert "{{pod}}" in str(read(TEXT)["ConfigMap"])


def test_helms_post_renderer_keeps_it() -> None:
    assert read(post_render(TEXT.encode()).out) == read(TEXT)


def test_the_krm_function_keeps_it() -> None:
    items = [one for one in yaml.safe_load_all(TEXT) if one]
    asked = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "items": items,
        "functionConfig": {
            **{"apiVersion": "krm.gpuspec.dev/v1alpha1", "kind": "Lint"},
            **{"metadata": {"name": "lint"}, "spec": {}},
        },
    }
    said = yaml.safe_load(answer(yaml.safe_dump(asked).encode())[0])
    assert parts(said["items"]) == read(TEXT)


@pytest.mark.binaries
@pytest.mark.parametrize("name", KUSTOMIZES)
def test_kustomize_keeps_it(tmp_path: Path, name: str) -> None:
    (tmp_path / "chat.yaml").write_text(TEXT)
    (tmp_path / "kustomization.yaml").write_text("resources: [chat.yaml]\nnamePrefix: a-\n")
    told = [str(program(name)), "build", str(tmp_path)]
    made = subprocess.run(told, capture_output=True, text=True, check=True).stdout
    assert read(made) == read(TEXT)


@pytest.mark.binaries
@pytest.mark.parametrize("name", ["helm3", "helm4"])
def test_helm_keeps_what_a_chart_gets_as_a_file(tmp_path: Path, name: str) -> None:
    """As a template it would be Helm that fills it in."""
    (tmp_path / "templates").mkdir()
    (tmp_path / "Chart.yaml").write_text("apiVersion: v2\nname: chat\nversion: 0.1.0\n")
    (tmp_path / "chat.yaml").write_text(TEXT)
    (tmp_path / "templates/all.yaml").write_text('{{ .Files.Get "chat.yaml" }}\n')
    told = [str(program(name)), "template", "chat", str(tmp_path)]
    made = subprocess.run(told, capture_output=True, text=True, check=True).stdout
    assert read(made) == read(TEXT)
