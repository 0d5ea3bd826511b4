"""Stories of what `gpuspec lint` and `table` are asked for besides: where nothing is named, found or said."""

from pathlib import Path

import pytest

from tests.cli.conftest import ONE, POD, Program


@pytest.mark.usefixtures("pod")
def test_without_a_path_this_folder_is_linted_and_added_up(gpuspec: Program) -> None:
    done = gpuspec("lint", *ONE)
    assert (done.code, done.out) == (1, gpuspec("lint", ".", *ONE).out)
    assert gpuspec("table").out == gpuspec("table", ".").out


@pytest.mark.parametrize("command", ["lint", "table"])
def test_nothing_to_work_on_is_no_success(gpuspec: Program, folder: Path, command: str) -> None:
    (folder / "other.yaml").write_text("on: push\n")
    done = gpuspec(command, "-", stdin="")
    assert done.code == 3
    assert done.err == (
        "error: nothing to work on in standard input: no Kubernetes object and no gpuspec spec\n"
        "  the command before the pipe may have failed; to exit with 0: --allow-empty\n"
    )
    assert gpuspec(command, "other.yaml").code == 3
    assert gpuspec(command, "other.yaml", "--allow-empty").code == 0


def test_what_was_passed_over_is_something(gpuspec: Program, folder: Path) -> None:
    (folder / "a.yaml").write_text("apiVersion: v1\nkind: {{ .Values.kind }}\n{{- if x }}\n")
    done = gpuspec("lint", ".")
    assert done.code == 0
    assert "skipped" in done.err


def test_a_chart_that_nothing_renders_is_nothing(
    gpuspec: Program, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELM_BIN", str(folder / "no-helm"))
    (folder / "chart").mkdir()
    (folder / "chart/Chart.yaml").write_text("apiVersion: v2\nname: chart\nversion: 0.1.0\n")
    (folder / "chart/values.yaml").write_text("replicas: 1\n")
    done = gpuspec("lint", "chart")
    assert done.code == 3
    assert "helm is not installed" in done.err
    assert "no findings" not in done.err
    assert gpuspec("lint", "chart", "--allow-empty").code == 0


@pytest.mark.usefixtures("pod")
def test_a_name_for_standard_input_needs_standard_input(gpuspec: Program) -> None:
    done = gpuspec("lint", "--stdin-filename", "k8s/pod.yaml", stdin=POD)
    assert (done.code, done.out) == (2, "")
    assert "gpuspec lint - --stdin-filename k8s/pod.yaml" in done.err


@pytest.mark.usefixtures("pod")
def test_a_baseline_knows_of_files_that_are_gone(gpuspec: Program, folder: Path) -> None:
    name = ".gpuspec-baseline.json"
    (folder / "gone.yaml").write_text(POD)
    assert gpuspec("lint", "--baseline", name, "--write-baseline").code == 0
    (folder / "gone.yaml").unlink()
    done = gpuspec("lint", "k8s", "--baseline", name)
    assert "no longer exist" in done.err
    assert "in gone.yaml" in done.err
    assert (
        "no longer exist" not in gpuspec("lint", "k8s", "--select", "GPU9", "--baseline", name).err
    )


@pytest.mark.usefixtures("pod")
def test_findings_are_counted_by_rule(gpuspec: Program) -> None:
    done = gpuspec("lint", "k8s", "--statistics", "--select", "GPU1")
    assert done.code == 1
    assert done.out == (
        "1  error    GPU102  request-differs-from-limit\n1  warning  GPU108  no-memory\n"
    )
    assert done.err.startswith("1 error, 1 warning in 2 documents of 2 files")


@pytest.mark.usefixtures("pod")
@pytest.mark.parametrize(
    ("asked", "other"),
    [
        ("--format json", "--diff"),
        ("-o lint.txt", "--diff"),
        ("--format sarif", "--write-baseline"),
    ],
)
def test_a_report_that_the_run_would_not_write_is_refused(
    gpuspec: Program, folder: Path, asked: str, other: str
) -> None:
    done = gpuspec("lint", "k8s", *asked.split(), other)
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        f"error: {asked} and {other} in one run\n  run it twice, once without {other}\n"
    )
    assert not (folder / ".gpuspec-baseline.json").exists()


@pytest.mark.usefixtures("pod")
def test_quiet_says_findings_alone(gpuspec: Program) -> None:
    done = gpuspec("lint", "k8s", "-q", *ONE)
    loud = gpuspec("lint", "k8s", *ONE).out
    assert loud.startswith(f"{done.out}\n1 error in 2 documents")
    assert done.err == ""


def test_quiet_counts_no_rules(gpuspec: Program, folder: Path) -> None:
    (folder / "many").mkdir()
    for number in range(12):
        text = POD.replace("name: p,", f"name: p{number},").replace("gpu: 1", f"gpu: {number + 1}")
        (folder / f"many/{number}.yaml").write_text(text)
    assert "by rule: " in gpuspec("lint", "many", *ONE).out
    assert "by rule: " not in gpuspec("lint", "many", "-q", *ONE).out


def test_fixes_that_are_not_safe_are_told_of(gpuspec: Program, folder: Path) -> None:
    there = "requests: {nvidia.com/gpu: 1}"
    assert there in POD
    text = POD.replace(there, f"{there}\n        limits: {{nvidia.com/gpu: 8}}")
    (folder / "differs.yaml").write_text(text)
    done = gpuspec("lint", "differs.yaml", "--fix", "--diff", *ONE)
    assert (done.code, done.out) == (0, "")
    assert done.err == "no finding has a safe fix; 1 can be fixed with --unsafe-fixes\n"
    assert gpuspec("lint", "differs.yaml", "--unsafe-fixes", "--diff", *ONE).code == 1


@pytest.mark.usefixtures("pod")
def test_standard_input_is_taken_for_a_file(gpuspec: Program, folder: Path) -> None:
    (folder / "k8s/.gpuspec.yaml").write_text("per-path: {pod.yaml: {ignore: [GPU102]}}\n")
    assert gpuspec("lint", "-", *ONE, stdin=POD).code == 1
    for name, code in {"k8s/pod.yaml": 0, "k8s/other.yaml": 1}.items():
        done = gpuspec("lint", "-", "--stdin-filename", name, "--format", "concise", stdin=POD)
        said = [line for line in done.out.splitlines() if "GPU102" in line]
        assert (done.code, len(said)) == (code, code)
        assert all(line.startswith(f"{name}:9:") for line in said)


@pytest.mark.usefixtures("pod")
def test_another_configuration_is_named(gpuspec: Program, folder: Path) -> None:
    (folder / "ci").mkdir()
    (folder / "ci/strict.yaml").write_text("ignore: [request-differs-from-limit]\n")
    (folder / "ci/pyproject.toml").write_text("[tool.gpuspec]\nignore = ['GPU102']\n")
    (folder / "ci/other.toml").write_text("[tool.other]\n")
    for file in ("ci/strict.yaml", "ci/pyproject.toml"):
        assert gpuspec("lint", "k8s", "--config", file, *ONE).code == 0
    done = gpuspec("lint", "k8s", "--config", "ci/other.toml")
    assert (done.code, done.err) == (
        2,
        "error: ci/other.toml has no configuration\n"
        "  write a table [tool.gpuspec], or name another file\n",
    )
    assert gpuspec("lint", "k8s", "--config", "nowhere.yaml").code == 2


@pytest.mark.usefixtures("pod")
def test_settings_that_are_shown_are_settings_that_hold(gpuspec: Program, folder: Path) -> None:
    (folder / ".gpuspec.yaml").write_text(
        "ignore: [request-differs-from-limit]\nexclude: [old]\nmodels: {org/m: 140Gi}\n"
    )
    shown = gpuspec("lint", "--show-settings", "--ignore", "GPU9").out
    assert shown.startswith("# settings of .gpuspec.yaml and the command line\nselect:\n- GPU\n")
    assert "\nignore:\n- GPU102\n- GPU9\n" in shown
    (folder / "shown.yaml").write_text(shown)
    again = gpuspec("lint", "--show-settings", "--config", "shown.yaml").out
    assert again.splitlines()[1:] == shown.splitlines()[1:]


def test_settings_name_a_path_that_is_no_utf_8(gpuspec: Program) -> None:
    """As `surrogateescape` hands it over, which no YAML can hold."""
    done = gpuspec("lint", "--show-settings", "--baseline", "old\udcff.json")
    assert done.code == 0
    assert "\nbaseline: old\\xff.json\n" in done.out


def test_a_name_of_two_lines_is_no_command_of_a_ci(gpuspec: Program, folder: Path) -> None:
    """A hint of the reader names the file too."""
    (folder / "a\n::error::x.yaml").write_text('{"kind": "a", "kind": "b", "apiVersion": "v1"}')
    done = gpuspec("lint", "--format", "junit", "a\n::error::x.yaml")
    assert "is already at a" in done.out
    assert not any(line.startswith("::") for line in done.out.splitlines())
