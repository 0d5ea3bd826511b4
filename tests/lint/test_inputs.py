"""What is linted of what people name: found by content, each place exact."""

from pathlib import Path
from textwrap import indent
from typing import Any

import pytest

import gpuspec
from gpuspec.loading.inputs import gather
from tests.lint.plain import POD

GKE = Path(__file__).parents[2] / "examples/clusters/gke.yaml"


def write(file: Path, text: str) -> str:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())
    return str(file)


def places(*paths: str) -> list[tuple[str, int, int]]:
    found = gpuspec.lint(*paths, select=["GPU102"]).findings
    return [(one.file, one.line, one.column) for one in found if one.rule == "GPU102"]


def notes(*paths: str) -> dict[str, str]:
    return {note.file: note.text for note in gpuspec.lint(*paths, select=["GPU102"]).notes}


def test_a_folder_is_every_yaml_and_json_file_below_it(here: Path) -> None:
    for name in ("a.yaml", "b/c.yml", "b/d.json", ".hidden/e.yaml", "f.txt", "b/.g.yaml"):
        write(here / name, POD)
    assert [file for file, *_ in places(".")] == ["a.yaml", "b/c.yml", "b/d.json"]
    assert gather(["."]).files == 3


def test_a_file_that_is_named_twice_is_read_once(here: Path) -> None:
    write(here / "a.yaml", POD)
    (here / "b.yaml").symlink_to("a.yaml")
    assert len(places("a.yaml", ".", "./a.yaml", str(here / "a.yaml"))) == 1


def test_what_is_not_there_is_an_error_all_at_once(here: Path) -> None:
    with pytest.raises(gpuspec.InputError) as error:
        gpuspec.lint("a.yaml", "b.yaml")
    assert [str(one) for one in error.value.problems] == [
        "a.yaml: no such file or folder",
        "b.yaml: no such file or folder",
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("chart.yaml", "apiVersion: v2\nname: chart\nversion: 1.0.0\n"),
        ("values.yaml", "image: {tag: 1}\nkind: Deployment\n"),
        ("mkdocs.yml", "markdown_extensions:\n  - x: !!python/name:materialx.emoji.twemoji\n"),
        ("template.yaml", "Resources:\n  Bucket: !Ref Other\n"),
        ("tsconfig.json", '{\n  // for the editor\n  "strict": true,\n}\n'),
        ("workflow.yaml", "on: push\njobs: {build: {steps: [{run: ls}]}}\n"),
        ("empty.yaml", ""),
        ("comment.yaml", "# nothing yet\n"),
        ("list.json", "[1, 2]"),
    ],
)
def test_what_is_not_kubernetes_counts_as_checked_and_is_silent(
    here: Path, name: str, text: str
) -> None:
    write(here / name, text)
    for path in (name, "."):
        result = gpuspec.lint(path)
        assert (result.findings, result.notes, result.files) == ((), (), 1)
        assert not result.unreadable


def test_one_bad_document_does_not_hide_the_others(here: Path) -> None:
    write(here / "a.yaml", f"{POD}---\nkind: [\n---\n{POD}")
    write(here / "b.yaml", POD)
    result = gpuspec.lint("a.yaml", "b.yaml", select=["GPU102"])
    assert places("a.yaml", "b.yaml") == [
        ("a.yaml", 9, 20),
        ("a.yaml", 21, 20),
        ("b.yaml", 9, 20),
    ]
    unreadable = [one for one in result.findings if one.rule == "GPU001"]
    assert [(one.file, one.line, one.severity) for one in unreadable] == [("a.yaml", 12, "error")]
    assert not result.unreadable


@pytest.mark.parametrize("text", ["a: [\n", "a: b: c\n", "\tkind: Pod\n"])
def test_when_nothing_could_be_parsed_that_is_said(here: Path, text: str) -> None:
    write(here / "a.yaml", text)
    write(here / "b.yaml", POD)
    assert gpuspec.lint("a.yaml").unreadable
    assert not gpuspec.lint("a.yaml", "b.yaml").unreadable


def test_bytes_that_are_no_text_are_a_finding(here: Path) -> None:
    (here / "a.yaml").write_bytes(b"apiVersion: v1\nkind: \xff\n")
    result = gpuspec.lint("a.yaml")
    assert [(one.rule, one.line, one.column) for one in result.findings] == [("GPU001", 2, 7)]


@pytest.mark.parametrize("missing", ["apiVersion: v1\n", "kind: Pod\n"])
def test_an_object_that_lacks_half_of_what_makes_it_one_is_a_finding(
    here: Path, missing: str
) -> None:
    write(here / "a.yaml", POD.replace(missing, ""))
    (found,) = gpuspec.lint("a.yaml").findings
    assert found.rule == "GPU001"
    assert missing.partition(":")[0] in found.message


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


def test_pods_of_an_unknown_kind_are_found_and_the_kind_is_named_once(here: Path) -> None:
    inner = POD.partition("spec:\n")[2]
    custom = (
        "apiVersion: example.com/v1\nkind: Run\nmetadata: {name: r}\n"
        f"spec:\n  pod:\n    template:\n{indent(inner, '    ')}"
    )
    write(here / "a.yaml", f"{custom}---\n{custom}")
    write(here / "b.yaml", custom)
    note, unvalidated = gpuspec.lint("a.yaml", "b.yaml").notes
    assert unvalidated.text == "not validated, for want of a schema: 3 Run (example.com/v1)"
    assert note.text.startswith("kinds that are not known: 3 Run (example.com); ")
    assert len(places("a.yaml", "b.yaml")) == 3
    write(here / ".gpuspec.yaml", "pod-paths: {example.com/Run: [spec.pod.template]}\n")
    assert notes("a.yaml", "b.yaml") == {}
    assert len(places("a.yaml", "b.yaml")) == 3


def test_devices_of_an_unknown_kind_are_never_silently_nothing(here: Path) -> None:
    """Devices outside of any pod: who made the kind knows what they mean, and nobody else."""
    write(
        here / "a.yaml",
        "apiVersion: example.com/v1\nkind: Server\nmetadata: {name: s}\n"
        "spec: {resources: {limits: {nvidia.com/gpu: 4}}}\n",
    )
    said = "not looked into, for their kinds are not known: 1 Server (example.com); "
    (note, _) = gpuspec.lint("a.yaml").notes
    assert note.text.startswith(said)
    (told,) = gpuspec.table("a.yaml").notes
    assert told.startswith(said)
    write(here / "b.yaml", POD)
    report = gpuspec.fit("a.yaml", "b.yaml", profile=gpuspec.load_profiles(str(GKE))[0])
    assert any(one.startswith(said) for one in report.notes)
    change = gpuspec.diff("/dev/null", "a.yaml")
    assert any(one.startswith(said) for one in change.notes)


@pytest.mark.parametrize(
    ("version", "kind", "spec"),
    [
        ("kaito.sh/v1beta1", "Workspace", ""),
        ("kubeai.org/v1", "Model", "spec: {resourceProfile: 'nvidia-gpu-l4:1'}\n"),
        (
            "sparkoperator.k8s.io/v1beta2",
            "SparkApplication",
            "spec: {executor: {instances: 2, gpu: {name: nvidia.com/gpu, quantity: 1}}}\n",
        ),
        (
            "nvidia.com/v1alpha1",
            "DynamoGraphDeployment",
            'spec: {services: {W: {resources: {limits: {gpu: "1"}}}}}\n',
        ),
    ],
)
def test_devices_said_otherwise_are_never_silently_nothing(
    here: Path, version: str, kind: str, spec: str
) -> None:
    write(here / "a.yaml", f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a}}\n{spec}")
    group = version.partition("/")[0]
    (told,) = gpuspec.table("a.yaml").notes
    assert told == f"devices said in a way of their own are in no sum: 1 {kind} ({group})"
    assert told in [note.text for note in gpuspec.lint("a.yaml").notes]


def test_an_unknown_kind_without_pods_is_nothing_to_say(here: Path) -> None:
    write(here / "a.yaml", "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: t}\n")
    assert notes("a.yaml") == {}


def test_the_chart_template_is_named(here: Path) -> None:
    write(here / "a.yaml", f"---\n# Source: chart/templates/pod.yaml\n{POD}")
    (found,) = gpuspec.lint("a.yaml", select=["GPU102"]).findings
    assert found.template == "chart/templates/pod.yaml"
    assert (found.line, found.column) == (11, 20)


class Plain:
    """The places of the one field of a pod, however the file is written."""

    LIST = "apiVersion: v1\nkind: List\nitems:\n" + "".join(
        f"{'- ' if not index else '  '}{line}\n" for index, line in enumerate(POD.splitlines())
    )
    FLOW = (
        '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers":'
        ' [{"name": "main", "image": "x",\n "resources": {"requests": {"nvidia.com/gpu": 1}}}]}}\n'
    )
    ANCHOR = POD.replace("namespace: ml}", "namespace: ml, annotations: {a: &one '1'}}").replace(
        "gpu: 1", "gpu: *one"
    )
    MERGE = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n"
        "    - &base\n      name: main\n      image: x\n      resources:\n"
        "        requests:\n          nvidia.com/gpu: 1\n"
        "    - <<: *base\n      name: other\n"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (POD, [(9, 20)]),
        (POD.replace("\n", "\r\n"), [(9, 20)]),
        ("\ufeff" + POD, [(9, 20)]),
        ("\ufeff---\r\n" + POD.replace("\n", "\r\n"), [(10, 20)]),
        (f"{POD}---\n# two\n{POD}", [(9, 20), (20, 20)]),
        (Plain.LIST, [(12, 22)]),
        (Plain.FLOW, [(2, 29)]),
        (Plain.ANCHOR, [(9, 20)]),
        (Plain.MERGE, [(11, 11), (11, 11)]),
        (
            POD.replace("requests: {nvidia.com/gpu: 1}", 'requests: {"nvidia.com/gpu": 1}'),
            [(9, 20)],
        ),
        (POD.replace("name: main", "name: main # größer →"), [(9, 20)]),
    ],
    ids=[
        "plain",
        "crlf",
        "bom",
        "bom-crlf",
        "two",
        "list",
        "flow",
        "anchor",
        "merge",
        "quotes",
        "umlaut",
    ],
)
def test_places_are_exact(here: Path, text: str, expected: list[Any]) -> None:
    write(here / "a.yaml", text)
    assert [place[1:] for place in places("a.yaml")] == expected


def test_what_is_missing_is_shown_by_the_first_line_of_what_should_hold_it(tmp_path: Path) -> None:
    """Underlining the whole of it would hide what is meant."""
    file = tmp_path / "pod.yaml"
    file.write_text(
        "apiVersion: v1\r\nkind: Pod\r\nmetadata: {name: p}\r\nspec:\r\n  containers:\r\n"
        "    - name: main\r\n      image: a:1\r\n"
        "      resources: {limits: {nvidia.com/gpu: 1}}\r\n"
    )
    (found,) = gpuspec.lint(str(file), select=["GPU602"]).findings
    assert found.path == "spec.securityContext"
    assert (found.line, found.column, found.end_line, found.end_column) == (5, 3, 5, 14)


def told(*paths: str) -> list[str]:
    return [str(note) for note in gpuspec.lint(*paths).notes]


def test_a_template_among_documents_hides_none_of_the_others(here: Path) -> None:
    text = f"{POD}---\napiVersion: v1\nkind: Secret\nmetadata: {{name: a}}\nstringData:\n  a: {{{{TOKEN}}}}\n"
    (here / "all.yaml").write_text(text)
    found = gpuspec.lint("all.yaml")
    line = text[: text.index("apiVersion: v1\nkind: Secret")].count("\n") + 1
    assert told("all.yaml") == [
        f"all.yaml: the document at line {line} is passed over: a template, not YAML: lint what "
        "`helm template` prints"
    ]
    assert found.documents == 1
    assert [one.rule for one in found.findings if one.rule in ("GPU001", "GPU011")] == []


def test_a_line_that_is_nothing_but_a_variable_is_a_template(here: Path) -> None:
    (here / "pod.yaml").write_text(f"{POD}${{EFA_LIMITS}}\n  more: 1\n")
    assert told("pod.yaml") == [
        "pod.yaml: passed over: a template, not YAML: lint what `envsubst` prints"
    ]


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
    assert f"{file}: passed over: {what}, which no cluster is given" in map(str, found.notes)
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
    assert told(".") == ["pkg/testdata: passed over: data of Go's tests, 1 file"]
    assert gpuspec.lint(".").findings == ()
    assert gpuspec.lint("pkg/testdata").findings


def test_status_of_a_built_in_kind_need_not_be_whole(here: Path) -> None:
    (here / "a.yaml").write_text(
        "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: a}\nspec:\n  selector: {matchLabels: {a: b}}\n"
        "  template:\n    metadata: {labels: {a: b}}\n    spec: {containers: [{name: a, image: b}]}\nstatus: {}\n"
    )
    assert [one.rule for one in gpuspec.lint(".").findings if one.rule == "GPU012"] == []


def test_a_placeholder_where_an_amount_stands_is_one_finding(here: Path) -> None:
    (here / "a.yaml").write_text(
        "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: a}\nspec:\n"
        "  headGroupSpec:\n    rayStartParams: {}\n    template: {spec: {containers: [{name: a, image: b}]}}\n"
        "  workerGroupSpecs:\n    - groupName: gpu\n      replicas: NUM_NODES\n      rayStartParams: {}\n"
        "      template: {spec: {containers: [{name: a, image: b, resources: {limits: {memory: MEMORY_SIZE}}}]}}\n"
    )
    found = [one for one in gpuspec.lint(".").findings if one.severity == "error"]
    assert [one.rule for one in found] == ["GPU015"]
    assert "`MEMORY_SIZE`" in (found[0].note or "")


def test_labels_that_a_kustomization_further_up_adds_to_selectors_count(here: Path) -> None:
    kinds = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"
    for folder in ("base", "overlay"):
        (here / folder).mkdir()
    (here / "base/kustomization.yaml").write_text(f"{kinds}resources: [app.yaml]\n")
    (here / "base/app.yaml").write_text(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n"
        "spec: {template: {spec: {containers: [{name: a, image: b}]}}}\n"
    )
    overlay = here / "overlay/kustomization.yaml"
    overlay.write_text(
        f"{kinds}resources: [../base]\nlabels: [{{pairs: {{a: b}}, includeSelectors: true}}]\n"
    )
    assert [one.rule for one in gpuspec.lint(".").findings if one.severity == "error"] == []
    overlay.write_text(f"{kinds}resources: [../base]\n")
    assert "GPU012" in {one.rule for one in gpuspec.lint(".").findings}
