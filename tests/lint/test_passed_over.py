"""What is no manifest is passed over, and said: templates, patches, what only looks like one."""

from pathlib import Path

import pytest

import gpuspec
from tests.lint.plain import POD
from tests.lint.texts import notes, places, told, write

HELM = """\
{{- if .Values.enabled }}
apiVersion: v1
kind: Pod
metadata:
  name: {{ .Release.Name }}
{{- end }}
"""


@pytest.mark.parametrize(
    "text",
    [
        HELM,
        'apiVersion: v1\nkind: Pod\nmetadata:\n  labels:\n    {{- include "x" . | nindent 4 }}\n',
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Values.name }}\n",
        "apiVersion: v1\nkind: Pod\nspec:\n{{ toYaml .Values.spec | indent 2 }}\n",
        "{% if x %}\napiVersion: v1\nkind: Pod\n{% endif %}\n",
        f"{POD}---\n{HELM}",
    ],
)
def test_a_template_is_passed_over_with_a_note(here: Path, text: str) -> None:
    write(here / "t/a.yaml", text)
    for path in ("t/a.yaml", "t"):
        result = gpuspec.lint(path)
        assert result.findings == ()
        assert not result.unreadable
        (note,) = result.notes
        assert note.file == "t/a.yaml"
        assert "template" in note.text


def test_yaml_that_holds_such_marks_in_its_strings_is_no_template(here: Path) -> None:
    args = "      args: ['{{inputs.parameters.x}}', \"{{workflow.name}}\"]\n"
    script = "      command:\n        - sh\n        - |\n          {{inputs.parameters.y}}\n"
    write(here / "a.yaml", POD.replace("      resources", args + script + "      resources"))
    assert notes("a.yaml") == {}
    assert len(places("a.yaml")) == 1


def test_a_broken_file_with_such_marks_elsewhere_is_no_template(here: Path) -> None:
    text = POD.replace("name: main", "name: 'main'\n      args: ['{{x}}']\n      env: {}")
    write(here / "a.yaml", text + "      bad\n")
    assert notes("a.yaml") == {}
    assert [one.rule for one in gpuspec.lint("a.yaml").findings] == ["GPU001"]


def test_a_template_among_documents_hides_none_of_the_others(here: Path) -> None:
    text = f"{POD}---\napiVersion: v1\nkind: Secret\nmetadata: {{name: a}}\nstringData:\n  a: {{{{TOKEN}}}}\n"
    (here / "all.yaml").write_text(text)
    found = gpuspec.lint("all.yaml")
    line = text[: text.index("apiVersion: v1\nkind: Secret")].count("\n") + 1
    assert told("all.yaml") == [
        f"all.yaml: the document at line {line} is skipped: a template, not YAML: lint the output of `helm template`"
    ]
    assert found.documents == 1
    assert [one.rule for one in found.findings if one.rule in ("GPU001", "GPU011")] == []


def test_a_line_that_is_nothing_but_a_variable_is_a_template(here: Path) -> None:
    (here / "pod.yaml").write_text(f"{POD}${{EFA_LIMITS}}\n  more: 1\n")
    assert told("pod.yaml") == [
        "pod.yaml: skipped: a template, not YAML: lint the output of `envsubst`"
    ]


def test_the_chart_template_is_named(here: Path) -> None:
    write(here / "a.yaml", f"---\n# Source: chart/templates/pod.yaml\n{POD}")
    (found,) = gpuspec.lint("a.yaml", select=["GPU102"]).findings
    assert found.template == "chart/templates/pod.yaml"
    assert (found.line, found.column) == (11, 20)


@pytest.mark.parametrize(
    "field",
    [
        "patches: [{path: fragments/gpu.yaml}]",
        "patches:\n  - path: ./fragments/gpu.yaml\n    target: {kind: Pod}",
        "patchesStrategicMerge: [fragments/gpu.yaml]",
        "patchesJson6902: [{path: fragments/gpu.yaml, target: {kind: Pod}}]",
        "replacements: [{path: fragments/gpu.yaml}]",
        "configurations: [fragments/gpu.yaml]",
    ],
)
def test_a_patch_of_a_kustomization_is_passed_over_with_a_note(here: Path, field: str) -> None:
    write(here / "app/base.yaml", POD)
    write(here / "app/fragments/gpu.yaml", POD)
    write(here / "app/kustomization.yaml", f"resources: [base.yaml]\n{field}\n")
    for path in ("app", "app/fragments", "app/fragments/gpu.yaml"):
        said = notes(path)
        assert list(said) == ["app/fragments/gpu.yaml"]
        assert "kustomize build" in said["app/fragments/gpu.yaml"]
        assert "app/kustomization.yaml" in said["app/fragments/gpu.yaml"]
    assert places("app") == [("app/base.yaml", 9, 20)]


def test_a_kustomization_outside_of_the_repository_is_not_asked(here: Path) -> None:
    write(here / "kustomization.yaml", "patches: [{path: repo/a.yaml}]\n")
    write(here / "repo/a.yaml", POD)
    assert notes("repo")
    (here / "repo/.git").mkdir()
    assert notes("repo") == {}


def test_a_kustomization_that_is_wrong_hides_nothing(here: Path) -> None:
    write(here / "kustomization.yaml", "patches: [\n")
    write(here / "a.yaml", POD)
    assert len(places("a.yaml")) == 1


ASSERTION = "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: a}\nstatus:\n  (numberReady > `0`): true\n"
PARTIAL = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nstatus: {readyReplicas: 1}\n"
CHAINSAW = """apiVersion: chainsaw.kyverno.io/v1alpha1
kind: Test
metadata: {name: a}
spec: {steps: [{try: [{assert: {file: ready.yaml}}]}]}
"""
SPARK = "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - name: spark-kubernetes-executor\n"


@pytest.mark.parametrize(
    ("files", "file", "what"),
    [
        ({"a.yaml": ASSERTION}, "a.yaml", "an assertion of Chainsaw"),
        ({"ready.yaml": PARTIAL, "chainsaw-test.yaml": CHAINSAW}, "ready.yaml", "an assertion of Chainsaw"),
        ({"01-assert.yaml": PARTIAL}, "01-assert.yaml", "an assertion of kuttl"),
        ({"executor.yaml": SPARK}, "executor.yaml", "a pod template of Spark"),
    ],
)  # fmt: skip
def test_what_only_looks_like_a_manifest_is_passed_over_with_a_note(
    here: Path, files: dict[str, str], file: str, what: str
) -> None:
    for name, text in files.items():
        (here / name).write_text(text)
    found = gpuspec.lint(".")
    assert f"{file}: skipped: {what}, which is never applied to a cluster" in map(str, found.notes)
    assert found.findings == ()


def test_a_partial_object_that_nobody_asserts_is_linted(here: Path) -> None:
    (here / "ready.yaml").write_text(PARTIAL)
    assert "GPU012" in {one.rule for one in gpuspec.lint(".").findings}


@pytest.mark.parametrize(
    "text",
    [
        "kind: Configuration\napiversion: scorecard.operatorframework.io/v1alpha3\nmetadata: {name: a}\n",
        "apiVersion: v1\nkind: Policy\nmetadata: {name: scheduler}\npredicates: []\n",
    ],
)
def test_configuration_of_programs_is_no_object(here: Path, text: str) -> None:
    (here / "config.yaml").write_text(text)
    assert gpuspec.lint(".").findings == ()


def test_data_of_tests_is_passed_over_unless_it_is_named(here: Path) -> None:
    folder = here / "pkg" / "testdata" / "bad"
    folder.mkdir(parents=True)
    (folder / "pod.yaml").write_text("apiVersion: v1\nkind: Pod\n")
    assert told(".") == ["pkg/testdata: skipped: data of Go's tests, 1 file"]
    assert gpuspec.lint(".").findings == ()
    assert gpuspec.lint("pkg/testdata").findings
