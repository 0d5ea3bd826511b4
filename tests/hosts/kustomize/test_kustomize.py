"""`gpuspec-krm` in the oldest and the newest Kustomize that is supported. C-60."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

import gpuspec
from tests.hosts.pages import follow
from tests.hosts.programs import KUSTOMIZES, ROOT, program

pytestmark = pytest.mark.binaries

FLAGS = ("--enable-alpha-plugins", "--enable-exec")
FUNCTION = "config.kubernetes.io/function: |\n      exec: {path: gpuspec-krm}\n"
LINT = f"""\
apiVersion: krm.gpuspec.dev/v1alpha1
kind: Lint
metadata:
  name: lint
  annotations:
    {FUNCTION}spec: {{annotate: true}}
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: server, namespace: serving}
spec:
  containers:
    - name: main
      image: ghcr.io/example/server:1.4
      resources:
        requests: {nvidia.com/gpu: 1, memory: 16Gi}
"""
GOOD = POD + "        limits: {nvidia.com/gpu: 1}\n"


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def objects(self) -> list[Any]:
        return list(yaml.safe_load_all(self.out))


@pytest.fixture(params=KUSTOMIZES)
def kustomize(request: pytest.FixtureRequest) -> Path:
    return program(request.param)


@pytest.fixture
def build(kustomize: Path, tmp_path: Path) -> Callable[..., Done]:
    """Builds a kustomization in a folder of files, with gpuspec on the path."""

    def run(files: dict[str, str], *flags: str, folder: str = "app") -> Done:
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            [kustomize, "build", *flags, folder],
            cwd=tmp_path,
            env={"PATH": path, "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return run


def linted(pod: str, field: str = "transformers") -> dict[str, str]:
    entry = "lint.yaml"
    return {
        "app/kustomization.yaml": f"resources: [pod.yaml]\n{field}: [{entry}]\n",
        "app/lint.yaml": LINT,
        "app/pod.yaml": pod,
    }


def test_errors_fail_the_build_and_are_said(build: Callable[..., Done]) -> None:
    done = build(linted(POD), *FLAGS)
    assert done.code != 0
    assert done.out == ""
    assert "error[GPU102]" in done.err
    assert " in Pod serving/server" in done.err


def test_what_passes_is_as_it_was_and_says_so(build: Callable[..., Done]) -> None:
    done = build(linted(GOOD), *FLAGS)
    assert done.code == 0, done.err
    (pod,) = done.objects
    assert pod["metadata"].pop("annotations") == {"gpuspec.dev/linted": gpuspec.__version__}
    assert pod == yaml.safe_load(GOOD)


def test_the_shipped_config_lints(build: Callable[..., Done]) -> None:
    shipped = {"app/lint.yaml": (ROOT / "deploy/kustomize/lint.yaml").read_text()}
    assert build(linted(POD) | shipped, *FLAGS).code != 0
    done = build(linted(GOOD) | shipped, *FLAGS)
    assert "gpuspec.dev/linted" in done.out, done.err


def test_it_is_run_as_its_definition_says(build: Callable[..., Done]) -> None:
    """Whoever has the definition needs no more: its kind, and how it is run."""
    definition = yaml.safe_load((ROOT / "deploy/kustomize/function.yaml").read_text())["spec"]
    (version,) = definition["versions"]
    run = yaml.safe_dump({"exec": version["runtime"]["exec"]})
    config = {
        "apiVersion": f"{definition['group']}/{version['name']}",
        "kind": definition["names"]["kind"],
        "metadata": {"name": "lint", "annotations": {"config.kubernetes.io/function": run}},
        "spec": {"annotate": True},
    }
    made = {"app/lint.yaml": yaml.safe_dump(config)}
    assert "error[GPU102]" in build(linted(POD) | made, *FLAGS).err
    done = build(linted(GOOD) | made, *FLAGS)
    assert done.code == 0, done.err
    assert f"gpuspec.dev/linted: {gpuspec.__version__}\n" in done.out
    wrong = {"app/lint.yaml": yaml.safe_dump({**config, "spec": {"failOn": "fatal"}})}
    assert "Invalid enum value 'fatal'" in build(linted(GOOD) | wrong, *FLAGS).err


def test_results_are_written_where_files_are_run_over(kustomize: Path, tmp_path: Path) -> None:
    """`kustomize fn run`, with the config among the files; nothing of them is changed."""
    (tmp_path / "k8s").mkdir()
    (tmp_path / "results").mkdir()
    files = {"lint.yaml": LINT, "pod.yaml": f"# Kept.\n{POD}"}
    for name, text in files.items():
        (tmp_path / "k8s" / name).write_text(text)
    command: list[str | Path] = [
        kustomize,
        "fn",
        "run",
        "k8s",
        "--enable-exec",
        "--results-dir",
        "results",
    ]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, cwd=tmp_path, env={"PATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "not validated" not in done.stderr
    (file,) = (tmp_path / "results").iterdir()
    (result,) = (one for one in yaml.safe_load(file.read_text()) if one["severity"] == "error")
    assert result["file"] == {"path": "pod.yaml", "index": 0}
    assert result["field"]["proposedValue"] == {"nvidia.com/gpu": 1}
    assert {one.name: one.read_text() for one in (tmp_path / "k8s").iterdir()} == files


def test_without_a_flag_the_function_is_skipped_in_silence(build: Callable[..., Done]) -> None:
    """The trap that the annotation is for."""
    done = build(linted(POD), "--enable-alpha-plugins")
    assert (done.code, done.err) == (0, "")
    assert "gpuspec.dev/linted" not in done.out
    made = build(overlay(), "--enable-alpha-plugins")
    assert (made.code, made.out, made.err) == (0, "", "")


def test_a_validator_cannot_be_used(build: Callable[..., Done]) -> None:
    """Kustomize compares nodes with their positions: what changes nothing is refused too."""
    files = linted(GOOD, "validators") | {"app/lint.yaml": LINT.replace("{annotate: true}", "{}")}
    done = build(files, *FLAGS)
    assert done.code != 0
    assert "validator shouldn't modify the resource map" in done.err


def test_arguments_of_exec_are_for_newer_versions(
    build: Callable[..., Done], kustomize: Path
) -> None:
    """Why the config's kind says what is done: 5.7 brought `args`."""
    files = linted(GOOD)
    files["app/lint.yaml"] = LINT.replace("gpuspec-krm}", "gpuspec-krm, args: [--help]}")
    done = build(files, *FLAGS)
    assert ("unknown field" in done.err) == ("v5.0.1" in str(kustomize)), done.err


def overlay(profile: str = "../clusters/eu.yaml", path: str = "gpuspec-krm") -> dict[str, str]:
    """A spec, an overlay over it, and a kustomization that has it rendered."""
    return {
        "specs/kustomization.yaml": "resources: [chat.yaml]\n",
        "specs/chat.yaml": (ROOT / "examples/chat.yaml").read_text(),
        "clusters/eu.yaml": (ROOT / "examples/clusters/gke.yaml").read_text(),
        "eu/kustomization.yaml": EU,
        "rendered/kustomization.yaml": RENDERED.format(profile=profile, path=path),
        "app/kustomization.yaml": "generators: [../rendered]\n",
    }


EU = """\
resources: [../specs]
namePrefix: eu-
namespace: serving-eu
commonAnnotations: {team: ml}
images: [{name: vllm/vllm-openai, newTag: none}]
patches:
  - target: {kind: Inference, name: chat}
    patch: |
      - {op: add, path: /spec/replicas/max, value: 4}
      - {op: add, path: /spec/gpu/models/-, value: H100-80GB}
  - patch: |
      apiVersion: gpuspec.dev/v1alpha1
      kind: Inference
      metadata: {name: chat, namespace: serving}
      spec: {gpu: {memory: 22Gi}, model: {path: null}}
replacements:
  - source: {kind: Inference, fieldPath: metadata.namespace}
    targets: [{select: {kind: Inference}, fieldPaths: [spec.owner]}]
"""
RENDERED = """\
resources: [../eu]
commonAnnotations:
  krm.gpuspec.dev/profile: {profile}
  config.kubernetes.io/function: |
    exec: {{path: {path}}}
"""


def test_environments_are_overlays_both_ways(
    build: Callable[..., Done], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Patches, a prefix, a namespace, a replacement; `images` does nothing to a spec."""
    files = overlay()
    specs = build(files, folder="eu")
    (spec,) = specs.objects
    assert spec["metadata"] == {
        "name": "eu-chat",
        "namespace": "serving-eu",
        "annotations": {"team": "ml"},
    }
    assert spec["spec"]["replicas"] == {"min": 2, "max": 4, "signal": "queue", "target": 5}
    assert spec["spec"]["gpu"]["models"] == ["L4", "A100-80GB", "H100-80GB"]
    assert spec["spec"]["gpu"]["memory"] == "22Gi"
    assert spec["spec"]["owner"] == "serving-eu"
    assert ":v0.33.0@sha256" in spec["spec"]["image"]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "eu.yaml").write_text(specs.out)
    (profile,) = gpuspec.load_profiles("clusters/eu.yaml")
    plain = gpuspec.render(gpuspec.load("eu.yaml")[0], profile).objects
    done = build(files, *FLAGS)
    assert done.code == 0, done.err
    assert sorted(map(repr_of, done.objects)) == sorted(map(repr_of, plain))
    assert "no autoscaler" in done.err


def repr_of(made: dict[str, Any]) -> str:
    return yaml.safe_dump(made)


def test_a_generator_is_one_spec_too_and_a_program_is_found_by_its_path(
    build: Callable[..., Done], tmp_path: Path
) -> None:
    program = Path(sys.executable).with_name("gpuspec-krm")
    spec = (ROOT / "examples/gpu-smoke-test.yaml").read_text()
    function = f"config.kubernetes.io/function: 'exec: {{path: {program}}}'"
    spec = spec.replace("metadata:\n", f"metadata:\n  annotations: {{{function}}}\n", 1)
    assert "annotations" in spec
    files = {"app/kustomization.yaml": "generators: [spec.yaml]\nnamePrefix: a-\n"}
    done = build(files | {"app/spec.yaml": spec}, *FLAGS)
    assert done.code == 0, done.err
    assert {one["metadata"]["name"][:2] for one in done.objects} == {"a-"}
    assert "config.kubernetes.io" not in done.out


def test_what_is_wrong_with_a_spec_fails_the_build(build: Callable[..., Done]) -> None:
    files = overlay()
    files["eu/kustomization.yaml"] = EU.replace("/spec/replicas/max", "/spec/replicas/most")
    done = build(files, *FLAGS)
    assert done.code != 0
    assert done.out == ""
    assert "Inference eu-chat" in done.err
    assert "unknown field `spec.replicas.most`" in done.err


def test_a_profile_that_cannot_carry_it_fails_the_build(build: Callable[..., Done]) -> None:
    files = overlay()
    files["eu/kustomization.yaml"] = EU.replace(
        "add, path: /spec/gpu/models/-, value: H100-80GB",
        "replace, path: /spec/gpu/models, value: [H200-141GB]",
    )
    done = build(files, *FLAGS)
    assert done.code != 0
    assert "eu-chat cannot run on" in done.err


def test_a_folder_of_specs_holds_nothing_else(build: Callable[..., Done]) -> None:
    files = overlay()
    files["specs/kustomization.yaml"] = "resources: [chat.yaml, other.yaml]\n"
    files["specs/other.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n"
    done = build(files, *FLAGS)
    assert done.code != 0
    assert "functionConfig is ConfigMap of v1" in done.err


def test_replicas_are_not_for_specs(build: Callable[..., Done]) -> None:
    files = overlay()
    files["eu/kustomization.yaml"] += "replicas: [{name: chat, count: 9}]\n"
    done = build(files, folder="eu")
    assert done.code != 0
    assert "resource with name chat does not match a config" in done.err


def test_rendered_and_linted_in_one_build(build: Callable[..., Done]) -> None:
    files = overlay() | {"app/lint.yaml": LINT}
    files["app/kustomization.yaml"] += "transformers: [lint.yaml]\n"
    done = build(files, *FLAGS)
    assert done.code == 0, done.err
    assert done.out.count("gpuspec.dev/linted: ") == len(done.objects) > 2


def test_the_page_can_be_followed(kustomize: Path, tmp_path: Path) -> None:
    page = ROOT / "docs/kustomize.md"
    assert follow(page, tmp_path, {"kustomize": kustomize}, "kustomize") == 6
    assert kustomize.parent.name.rpartition("-v")[2] in page.read_text()
