"""`gpuspec lint CHART` with the real Helm 3 and 4."""

import os
import shutil
from pathlib import Path

import pytest

import gpuspec
from tests.hosts.programs import ROOT, program

pytestmark = pytest.mark.binaries
CHARTS = Path(__file__).parent / "charts"


@pytest.fixture(params=("helm3", "helm4"))
def here(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a copy of the plain chart, and a Helm to render it."""
    tools = os.pathsep.join((str(program(request.param).parent), os.environ["PATH"]))
    monkeypatch.setenv("PATH", tools)
    shutil.copytree(CHARTS / "plain", tmp_path / "plain")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("here")
def test_what_a_chart_makes_is_linted_and_named_by_its_template() -> None:
    found = gpuspec.lint("plain", select=["GPU102"])
    (one,) = found.findings
    assert (one.file, one.template) == ("plain <helm template>", "plain/templates/deployment.yaml")
    assert one.fix is None
    line = found.texts[one.file].splitlines()[one.line - 1]
    assert "nvidia.com/gpu: 1" in line
    assert found.notes == ()
    assert len(gpuspec.table("plain").asks) == 1


def test_what_lies_beside_a_chart_is_linted_too(here: Path) -> None:
    pod = ROOT / "examples/rendered/gke/gpu-smoke-test.yaml"
    shutil.copy(pod, here / "plain/pod.yaml")
    os.chdir("plain")
    assert gpuspec.lint(".").files == 2
    os.chdir("..")
    # Met on the way, a chart's templates are what they were: no YAML.
    assert any("a template, not YAML" in note.text for note in gpuspec.lint(".").notes)


def test_nothing_is_mended_in_what_a_chart_makes(here: Path) -> None:
    before = {file: file.read_bytes() for file in here.rglob("*") if file.is_file()}
    mended = gpuspec.mend("plain", unsafe=True)
    assert mended.changed == {}
    assert mended.result.findings == gpuspec.lint("plain").findings
    assert {file: file.read_bytes() for file in here.rglob("*") if file.is_file()} == before


def test_a_missing_dependency_is_an_error_and_is_not_fetched(here: Path) -> None:
    chart = here / "plain/Chart.yaml"
    more = (
        "dependencies: [{name: extra, version: 1.0.0, repository: 'https://charts.example.com'}]\n"
    )
    chart.write_text(chart.read_text() + more)
    with pytest.raises(gpuspec.InputError) as error:
        gpuspec.lint("plain")
    (problem,) = error.value.problems
    assert "extra" in problem.message
    assert problem.hint == "fetch them first: helm dependency build plain"
    assert not (here / "plain/charts").exists()


def test_a_chart_that_does_not_render_is_an_error_with_what_helm_says(here: Path) -> None:
    (here / "plain/templates/needs.yaml").write_text(
        '{{ required "model is needed" .Values.model }}\n'
    )
    with pytest.raises(gpuspec.InputError) as error:
        gpuspec.lint("plain")
    (problem,) = error.value.problems
    assert "model is needed" in problem.message
    assert problem.hint == "with other values: helm template plain -f values.yaml | gpuspec lint -"


RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: chat, namespace: serving}
spec:
  interval: 10m
  chart:
    spec:
      chart: ./plain
      sourceRef: {kind: GitRepository, name: repository}
  values: {gpus: 3}
"""

APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: chat, namespace: argocd}
spec:
  source:
    repoURL: https://git.example.com/repository
    path: plain
    helm: {valuesObject: {gpus: 3}}
  destination: {namespace: serving}
"""


@pytest.mark.parametrize("text", [RELEASE, APPLICATION])
def test_a_release_of_a_chart_of_the_tree_is_linted_with_its_values(here: Path, text: str) -> None:
    (here / "chat.yaml").write_text(text)
    result = gpuspec.lint(".", select=["GPU102"])
    (finding,) = result.findings
    assert finding.file == "chat.yaml <helm template chat plain>"
    assert finding.template == "plain/templates/deployment.yaml"
    line = result.texts[finding.file].splitlines()[finding.line - 1]
    assert "nvidia.com/gpu: 3" in line
    (ask,) = gpuspec.table(".").asks
    assert ask.each["nvidia.com/gpu"] == 3


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("values: {gpus: 3}", "valuesFrom: [{kind: Secret, name: values}]"),
        ("values: {gpus: 3}", "values: {gpus: 3, image: '${image}'}"),
        ("values: {gpus: 3}", "postRenderers: [{kustomize: {patches: []}}]"),
    ],
)
def test_a_release_that_is_not_known_in_full_is_named_and_not_rendered(
    here: Path, old: str, new: str
) -> None:
    (here / "chat.yaml").write_text(RELEASE.replace(old, new))
    result = gpuspec.lint("chat.yaml")
    assert result.findings == ()
    assert [str(note) for note in result.notes] == [
        "chat.yaml: `chat` is not rendered: what it makes depends on more than this object says"
    ]


def test_a_release_that_helm_does_not_render_is_named_with_what_helm_says(here: Path) -> None:
    (here / "plain/templates/needs.yaml").write_text('{{ required "no model" .Values.model }}\n')
    (here / "chat.yaml").write_text(RELEASE)
    (note,) = gpuspec.lint("chat.yaml").notes
    assert note.file == "chat.yaml"
    assert note.text.startswith("`chat` is not rendered: helm template: ")
    assert "no model" in note.text


def test_a_release_whose_chart_lies_elsewhere_is_not_rendered(here: Path) -> None:
    (here / "chat.yaml").write_text(RELEASE.replace("./plain", "./charts/other"))
    assert gpuspec.lint("chat.yaml").notes == ()


def test_without_helm_a_release_of_the_tree_is_named(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "chat.yaml").write_text(RELEASE)
    monkeypatch.setenv("PATH", "")
    (note,) = gpuspec.lint("chat.yaml").notes
    assert str(note) == "chat.yaml: `chat`: no helm is installed to render its chart"


def test_a_release_name_is_no_option(here: Path) -> None:
    """Of a manifest that a stranger proposes, helm runs no program."""
    program = here / "run"
    program.write_text("#!/bin/sh\ntouch ran\ncat\n")
    program.chmod(0o755)
    text = RELEASE.replace("interval: 10m", f"releaseName: --post-renderer={program}")
    (here / "chat.yaml").write_text(text)
    notes = [note.text for note in gpuspec.lint("chat.yaml").notes]
    assert len(notes) == 1
    assert " is not rendered: helm template: " in notes[0]
    assert not (here / "ran").exists()


def test_values_that_are_no_yaml_are_not_taken_for_none(here: Path) -> None:
    (here / "chat.yaml").write_text(
        APPLICATION.replace("{valuesObject: {gpus: 3}}", '{values: "gpus: [3"}')
    )
    (note,) = (note for note in gpuspec.lint("chat.yaml").notes if note.file)
    assert note.text.startswith("`chat` is not rendered: what it makes depends on more")


def test_a_chart_outside_of_the_repository_is_not_read(here: Path) -> None:
    (here / "apps/.git").mkdir(parents=True)
    (here / "apps/chat.yaml").write_text(RELEASE.replace("./plain", "../plain"))
    assert gpuspec.lint("apps/chat.yaml").notes == ()
