"""What is linted of what people name: found by content, each place exact."""

from pathlib import Path
from typing import Any

import pytest

import gpuspec
from gpuspec.loading.inputs import gather
from tests.lint.plain import POD
from tests.lint.texts import places, write


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
    found = [
        one for one in gpuspec.lint(".").findings if one.rule in ("GPU011", "GPU015", "GPU017")
    ]
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


def test_without_helm_a_chart_is_told_to_be_unrendered(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(here))
    write(here / "chart/Chart.yaml", "apiVersion: v2\nname: chart\nversion: 1.0.0\n")
    write(here / "chart/templates/pod.yaml", POD + "{{- if .Values.more }}\n{{- end }}\n")
    said = [(note.file, note.text) for note in gpuspec.lint("chart").notes]
    text = "a chart, but helm is not installed to render it: its objects are not linted"
    assert said[0] == ("chart", text)
    assert [file for file, _ in said[1:]] == ["chart/templates/pod.yaml"]
