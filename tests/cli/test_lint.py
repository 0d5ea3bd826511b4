"""Stories of `gpuspec lint`, `rule`, `rules` and `table`."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import ONE, OVERRIDE, POD, QUIET, Program


@pytest.mark.usefixtures("pod")
def test_findings_are_data_and_fail_the_run(gpuspec: Program) -> None:
    done = gpuspec("lint", "k8s", *ONE)
    assert done.code == 1
    assert "GPU102" in done.out
    assert "k8s/pod.yaml:9:20" in done.out
    assert "1 error in 2 documents of 2 files" in done.out
    assert done.err == ""


@pytest.mark.usefixtures("pod")
def test_a_clean_run_says_so_and_prints_no_data(gpuspec: Program) -> None:
    done = gpuspec("lint", "k8s/quiet.yaml")
    assert (done.code, done.out) == (0, "")
    assert done.err == "no findings in 1 document of 1 file\n"


@pytest.mark.usefixtures("pod")
def test_standard_input_is_linted(gpuspec: Program) -> None:
    done = gpuspec("lint", "-", *ONE, "--format", "concise", stdin=f"# Source: c/t/p.yaml\n{POD}")
    assert done.code == 1
    assert done.out.startswith("<stdin>:10:20: GPU102 error ")


@pytest.mark.usefixtures("pod")
def test_json_is_the_findings_as_the_design_has_them(gpuspec: Program) -> None:
    done = gpuspec("lint", "k8s", *ONE, "--format", "json")
    (found,) = json.loads(done.out)
    assert {name: found[name] for name in ("rule", "severity", "file", "line", "column")} == {
        "rule": "GPU102",
        "severity": "error",
        "file": "k8s/pod.yaml",
        "line": 9,
        "column": 20,
    }
    assert found["path"] == 'spec.containers[0].resources.requests["nvidia.com/gpu"]'
    assert found["object"] == {
        "apiVersion": "v1",
        "kind": "Pod",
        "namespace": "ml",
        "name": "p",
    }
    assert found["fix"]["safe"] is True
    assert found["confidence"] == "certain"
    assert (found["end_line"], found["end_column"]) == (9, 34)


def test_several_formats_at_once(gpuspec: Program, pod: Path) -> None:
    done = gpuspec(
        *("lint", "k8s", *ONE),
        *("--format", "sarif", "-o", "out.sarif"),
        *("--format", "json", "-o", "out.json"),
        *("--format", "concise"),
    )
    assert done.code == 1
    assert done.out.startswith("k8s/pod.yaml:9:20: ")
    assert json.loads((pod / "out.sarif").read_text())["version"] == "2.1.0"
    assert json.loads((pod / "out.json").read_text())[0]["rule"] == "GPU102"


@pytest.mark.parametrize(
    "words",
    [
        ["-o", "out", "--format", "json"],
        ["--format", "json", "-o", "out"],
        ["--format=json", "--output=out"],
        ["--format=json", "-oout"],
    ],
)
def test_one_format_and_its_file_in_any_order(
    gpuspec: Program, pod: Path, words: list[str]
) -> None:
    done = gpuspec("lint", "k8s", *ONE, *words)
    assert (done.code, done.out) == (1, "")
    assert json.loads((pod / "out").read_text())[0]["rule"] == "GPU102"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--format", "json", "--format", "text"], "json and text in one output, standard output"),
        (["--format", "json", "-o", "a", "-o", "b"], "-o b has no --format"),
        (["--format", "jsn"], "--format jsn: unknown format"),
        (["--format", "json", "-o", "no/such/a"], "no/such/a: No such file or directory"),
        (["--select", "GPU9999"], 'no rule "GPU9999"'),
        (["--ignore", "request-differs"], 'no rule "request-differs"'),
        (["-c", "no.yaml"], "no.yaml: no such file, folder or built-in profile"),
        (["--severity", "loud"], "--severity: 'loud' is not one of"),
        (["k8s/pdo.yaml"], "k8s/pdo.yaml: no such file or folder"),
    ],
)
@pytest.mark.usefixtures("pod")
def test_wrong_usage_is_said_and_exits_2(gpuspec: Program, words: list[str], said: str) -> None:
    done = gpuspec("lint", "k8s", *words)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {said}")


@pytest.mark.usefixtures("pod")
def test_thresholds(gpuspec: Program, pod: Path) -> None:
    (pod / ".gpuspec.yaml").write_text("severities: {GPU102: warning}\n")
    assert gpuspec("lint", "k8s", *ONE).code == 0
    assert gpuspec("lint", "k8s", *ONE, "--fail-on", "warning").code == 1
    hidden = gpuspec("lint", "k8s", *ONE, "--severity", "error", "--fail-on", "info")
    assert (hidden.code, hidden.out) == (0, "")
    shown = gpuspec("lint", "k8s", *ONE, "--fail-on", "info", "--exit-zero")
    assert shown.code == 0
    assert "GPU102" in shown.out


@pytest.mark.usefixtures("pod")
def test_rules_are_selected_and_ignored(gpuspec: Program) -> None:
    for words in (
        ["--ignore", "GPU"],
        ["--select", "GPU102", "--ignore", "GPU102"],
        ["--select=GPU102", "--ignore=request-differs-from-limit"],
    ):
        done = gpuspec("lint", "k8s", *words)
        assert (done.code, done.out) == (0, ""), words
    assert gpuspec("lint", "k8s", "--select", "gpu1,GPU102").code == 1


def test_one_bad_document_among_others_is_a_finding(gpuspec: Program, pod: Path) -> None:
    (pod / "k8s/bad.yaml").write_text(f"kind: [\n---\n{QUIET}")
    done = gpuspec("lint", "k8s", *ONE, "--format", "concise")
    assert done.code == 1
    assert [line.split(":")[0] for line in done.out.splitlines()] == [
        "k8s/bad.yaml",
        "k8s/pod.yaml",
    ]


def test_when_nothing_could_be_parsed_the_code_is_2(gpuspec: Program, pod: Path) -> None:
    (pod / "bad.yaml").write_text("a: [\n")
    done = gpuspec("lint", "bad.yaml", "--exit-zero")
    assert done.code == 2
    assert "bad.yaml:" in done.out


def test_files_that_are_passed_over_are_named_and_pass(gpuspec: Program, pod: Path) -> None:
    (pod / "t.yaml").write_text("{{- if .x }}\nkind: Pod\napiVersion: v1\n{{- end }}\n")
    (pod / "values.yaml").write_text("a: 1\n")
    done = gpuspec("lint", "t.yaml", "values.yaml")
    assert (done.code, done.out) == (0, "")
    first, last = done.err.splitlines()
    assert first.startswith("note: t.yaml: skipped: a template")
    assert last == "no findings in 0 documents of 2 files"


@pytest.mark.usefixtures("pod")
def test_annotations_are_added_to_text_in_github_actions(gpuspec: Program) -> None:
    done = gpuspec("lint", "k8s", *ONE, env={"GITHUB_ACTIONS": "true"})
    assert "--> k8s/pod.yaml:9:20" in done.out
    assert "::error file=k8s/pod.yaml,line=9" in done.out
    plain = gpuspec("lint", "k8s", *ONE, "--format", "concise", env={"GITHUB_ACTIONS": "true"})
    assert "::error" not in plain.out


def test_the_configuration_above_the_first_path_applies(gpuspec: Program, pod: Path) -> None:
    (pod / "k8s/.gpuspec.yaml").write_text("ignor: [GPU102]\n")
    done = gpuspec("lint", "k8s/pod.yaml")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "k8s/.gpuspec.yaml:1:1: error: unknown setting `ignor`\n  did you mean `ignore`?\n"
    )


def test_render_prints_nothing_on_errors(gpuspec: Program, folder: Path) -> None:
    spec = (folder / "train.yaml").read_text()
    (folder / "train.yaml").write_text(spec + OVERRIDE)
    done = gpuspec("render", "train.yaml", "-c", "clusters/eu.yaml", "-o", "out")
    assert (done.code, done.out) == (1, "")
    assert "GPU102" in done.err
    assert "train.yaml:16:" in done.err
    assert done.err.endswith("nothing was rendered; to render despite findings: --no-lint\n")
    assert not (folder / "out").exists()
    unlinted = gpuspec("render", "train.yaml", "-c", "clusters/eu.yaml", "--no-lint")
    assert unlinted.code == 0
    assert "kind: Job" in unlinted.out


def test_render_names_the_profile_when_there_are_several(gpuspec: Program, folder: Path) -> None:
    spec = (folder / "train.yaml").read_text()
    (folder / "train.yaml").write_text(spec + OVERRIDE)
    done = gpuspec("render", "train.yaml", "-c", "clusters", "-o", "{profile}")
    assert done.code == 1
    assert [line for line in done.err.splitlines() if line.startswith("on profile")] == [
        "on profile eu:",
        "on profile us:",
    ]


def test_a_rule_has_a_page(gpuspec: Program) -> None:
    for name in ("GPU102", "gpu102", "request-differs-from-limit"):
        done = gpuspec("rule", name)
        assert done.code == 0
        assert done.out.startswith("GPU102 request-differs-from-limit")
    assert json.loads(gpuspec("rule", "GPU102", "--format", "json").out)["code"] == "GPU102"
    assert gpuspec("rule", "GPU102", "--format", "markdown").out.startswith("# GPU102")
    wrong = gpuspec("rule", "request-difers-from-limit")
    assert wrong.code == 2
    assert "did you mean `request-differs-from-limit`?" in wrong.err


def test_all_rules_are_listed(gpuspec: Program) -> None:
    listed = json.loads(gpuspec("rules", "--format", "json").out)
    codes = [one["code"] for one in listed]
    assert "GPU102" in codes
    assert codes == sorted(codes)
    text = gpuspec("rules").out.splitlines()
    assert [line.split()[0] for line in text if line.startswith("GPU")] == codes
    assert gpuspec("rules", "--format", "markdown").out.count("\n| GPU") == len(codes)


@pytest.mark.usefixtures("pod")
def test_a_table_adds_up(gpuspec: Program) -> None:
    done = gpuspec("table", "k8s", "train.yaml", "-c", "clusters/eu.yaml", "--format", "json")
    assert done.code == 0
    text = gpuspec("table", "k8s", "train.yaml").out
    assert "Pod ml/p" in text
    assert "Job ml/train-first" in text
    assert text.splitlines()[3].split()[:4] == ["Total", "2", "2", "nvidia.com/gpu"]


def test_a_table_of_what_cannot_be_read_is_none(gpuspec: Program, pod: Path) -> None:
    (pod / "k8s/bad.yaml").write_text("kind: [\n")
    done = gpuspec("table", "k8s")
    assert (done.code, done.out) == (2, "")
    assert "k8s/bad.yaml:" in done.err


@pytest.mark.usefixtures("pod")
@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ([], False),
        (["--severity", "info"], True),
        (["--fail-on", "info"], True),
        (["--select", "GPU602"], True),
        (["--format", "full"], True),
        (["--format", "concise"], True),
        (["--severity", "warning"], False),
    ],
)
def test_text_shows_infos_to_whoever_asks(
    gpuspec: Program, asked: list[str], *, shown: bool
) -> None:
    done = gpuspec("lint", "k8s", *asked)
    assert ("GPU602" in done.out) == shown
    counted = not asked
    assert ("1 info (shown with --severity info)" in done.out) == counted


def test_infos_that_text_counts_are_in_every_other_report(gpuspec: Program, pod: Path) -> None:
    done = gpuspec("lint", "k8s", "--format", "json", "-o", "a.json", "--format", "text")
    assert "info[" not in done.out
    assert "info" in {one["severity"] for one in json.loads((pod / "a.json").read_text())}


def test_the_help_names_every_format(gpuspec: Program) -> None:
    from gpuspec.report.lint import FORMATS

    told = " ".join(gpuspec("lint", "--help", env={"COLUMNS": "100"}).out.split())
    assert f"Format of the report: {', '.join(FORMATS)}." in told
