"""Specs are linted as rendered, and each finding is said at the line that caused it."""

from pathlib import Path

import pytest

import gpuspec
from gpuspec.facade import workloads
from gpuspec.lint.model import Finding

SPEC = """\
apiVersion: gpuspec.dev/v1alpha1
kind: Training
metadata:
  name: train
  namespace: ml
spec:
  image: ghcr.io/example/train:1.0@sha256:{digest}
  command: [python, -m, train]
  gpu: {{models: [T4], count: 1}}
  resources: {{cpu: 4, memory: 16Gi}}
  run: first
""".format(digest="0123456789abcdef" * 4)

OVERRIDE = """\
  overrides:
    - kind: Job
      patch:
        spec:
          template:
            spec:
              containers:
                - name: main
                  resources:
                    requests: {nvidia.com/gpu: 2}
"""

PROFILE = """\
apiVersion: gpuspec.dev/v1alpha1
kind: ClusterProfile
metadata: {name: eu}
spec:
  kubernetes: "1.36"
  pools:
    - name: eu-pool
      gpu: {model: MODEL, count: 4}
      taints: [{key: example.com/gpu, effect: NoSchedule}]
      allocatable: {cpu: 60, memory: 240Gi, ephemeralStorage: 800Gi, pods: 110}
      nodes: 6
"""


@pytest.fixture
def here(here: Path) -> Path:
    (here / "train.yaml").write_text(SPEC)
    (here / "eu.yaml").write_text(PROFILE.replace("MODEL", "T4"))
    (here / "big.yaml").write_text(PROFILE.replace("MODEL", "H100-80GB"))
    return here


def of(rule: str, findings: tuple[Finding, ...]) -> list[Finding]:
    return [one for one in findings if one.rule == rule]


def test_what_an_override_causes_is_said_at_the_override(here: Path) -> None:
    (here / "train.yaml").write_text(SPEC + OVERRIDE)
    (found,) = of("GPU102", gpuspec.lint("train.yaml").findings)
    assert (found.file, found.line, found.column) == ("train.yaml", 21, 48)
    assert (found.end_line, found.end_column) == (21, 49)
    assert found.object is not None
    assert (found.object.kind, found.object.name) == ("Job", "train-first")
    assert found.path.startswith("spec.template.spec.containers[0].resources.requests")
    assert found.fix is None, "what is rendered has no text to splice into"


def test_a_spec_that_holds_has_no_errors(here: Path) -> None:
    result = gpuspec.lint("train.yaml", severity="error")
    assert (result.findings, result.notes, result.documents) == ((), (), 1)


def test_specs_and_manifests_are_one_set(here: Path) -> None:
    (workload,) = gpuspec.load("train.yaml")
    made = gpuspec.render(workload)
    (here / "job.yaml").write_text(gpuspec.dump(made.objects))
    assert gpuspec.lint(".", severity="error").documents == 4


def test_what_is_wrong_with_a_spec_is_a_finding_at_its_line(here: Path) -> None:
    (here / "train.yaml").write_text(SPEC.replace("count: 1", "cuont: 1"))
    result = gpuspec.lint("train.yaml")
    (found,) = result.findings
    assert (found.severity, found.file, found.line, found.column) == ("error", "train.yaml", 9, 23)
    assert "spec.gpu.cuont" in found.message
    assert found.note is not None
    assert "count" in found.note
    assert not result.unreadable


def test_what_is_wrong_with_a_profile_is_a_finding_too(here: Path) -> None:
    (here / "eu.yaml").write_text(PROFILE.replace("MODEL", "T5"))
    assert {(one.file, one.line) for one in gpuspec.lint("eu.yaml").findings} == {("eu.yaml", 8)}


def test_a_version_of_ours_with_a_kind_of_others_is_a_finding(here: Path) -> None:
    (here / "train.yaml").write_text(SPEC.replace("kind: Training", "kind: Deployment"))
    (found,) = gpuspec.lint("train.yaml").findings
    assert (found.line, found.column) == (2, 7)


def test_a_profile_that_cannot_carry_a_spec_is_a_finding(here: Path) -> None:
    profiles = {name: gpuspec.load_profiles(f"{name}.yaml")[0] for name in ("eu", "big")}
    assert gpuspec.lint("train.yaml", profile=profiles["eu"], severity="error").findings == ()
    (found,) = gpuspec.lint("train.yaml", profile=profiles["big"]).findings
    assert (found.severity, found.line) == ("error", 9)
    assert found.message.startswith(
        "no pool can run it: pool eu-pool: `gpu.models` does not list H100-80GB"
    )


def test_pools_that_cannot_carry_a_spec_are_one_finding(here: Path) -> None:
    """None of them alone is wrong: they are the reasons of one refusal."""
    more = "    - name: more\n      gpu: {model: L4, count: 1}\n"
    profile = (here / "big.yaml").read_text()
    (here / "big.yaml").write_text(
        profile.replace("    - name: eu-pool\n", f"{more}    - name: eu-pool\n")
    )
    big = gpuspec.load_profiles("big.yaml")[0]
    (found,) = gpuspec.lint("train.yaml", profile=big).findings
    assert "pool more: `gpu.models` does not list L4" in found.message
    assert "pool eu-pool: `gpu.models` does not list H100-80GB" in found.message


def test_what_no_cluster_could_be_asked_about_is_a_note(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = gpuspec.load_profiles("big.yaml")[0]
    render = gpuspec.render
    with monkeypatch.context() as patch:
        patch.setattr(workloads, "render", lambda workload, _: render(workload, refused))
        result = gpuspec.lint("train.yaml")
    assert result.findings == ()
    assert [note.file for note in result.notes] == ["train.yaml"]
    assert all("without a profile (-c)" in note.text for note in result.notes)


def test_a_finding_that_nothing_written_caused_is_at_the_name(here: Path) -> None:
    from gpuspec.loading.specs import Cause

    (workload,) = gpuspec.load("train.yaml")
    rendering = gpuspec.render(workload)
    cause = Cause(rendering.rendered[0], workload, None)
    assert str(cause.span(("status",))[0]) == "train.yaml:4:9"
    image = ("spec", "template", "spec", "containers", 0, "image")
    assert str(cause.span(image)[0]) == "train.yaml:7:10"
    assert str(cause.span((*image, "below"))[0]) == "train.yaml:7:10"
    # Nobody wrote the container, but somebody its inside.
    assert cause.span(image[:-1])[0].line > 6


def test_what_a_profile_says_is_said_at_its_line(here: Path) -> None:
    from gpuspec.loading.specs import Cause

    (workload,) = gpuspec.load("train.yaml")
    (profile,) = gpuspec.load_profiles("eu.yaml")
    rendering = gpuspec.render(workload, profile)
    made = rendering.rendered[0]
    paths = [path for path, leaf in made.provenance.items() if leaf.origin.kind == "profile"]
    assert paths, "something comes from the profile"
    cause = Cause(made, workload, profile)
    assert {cause.span(path)[0].file for path in paths} == {"eu.yaml"}


def test_rendered_objects_are_linted_for_errors_alone(here: Path) -> None:
    (here / "train.yaml").write_text(SPEC + OVERRIDE)
    workloads = gpuspec.load("train.yaml")
    result = gpuspec.lint_renderings([gpuspec.render(one) for one in workloads])
    assert {one.severity for one in result.findings} == {"error"}
    assert of("GPU102", result.findings)[0].line == 21
    assert (result.files, result.documents) == (1, 1)
    (here / ".gpuspec.yaml").write_text("ignore: [GPU]\n")
    result = gpuspec.lint_renderings([gpuspec.render(one) for one in workloads], "train.yaml")
    assert result.findings == ()


SERVED = """\
apiVersion: gpuspec.dev/v1alpha1
kind: Inference
metadata: {name: chat, namespace: ml}
spec:
  runtime: vllm
  image: vllm/vllm-openai:v0.33.0
  model:
    id: meta-llama/Llama-3.3-70B-Instruct
    size: 16Gi
    source: {pvc: weights}
  gpu: {models: [H100-80GB], count: 1}
"""


def test_a_size_that_the_model_cannot_have_is_a_warning_at_its_line(here: Path) -> None:
    (here / "chat.yaml").write_text(SERVED)
    (found,) = of("GPU923", gpuspec.lint("chat.yaml").findings)
    assert (found.severity, found.confidence, found.line) == ("warning", "likely", 9)
    assert "Llama-3.3-70B-Instruct` has 131.4Gi" in found.message
    (here / "chat.yaml").write_text(SERVED.replace("70B", "8B").replace("3.3", "3.1"))
    assert not of("GPU923", gpuspec.lint("chat.yaml").findings)
