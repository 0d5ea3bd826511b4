"""The post-renderer by itself: what of a release is kept, fixed and refused. C-61."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuspec.hosts.helm import post_render
from tests.hosts.programs import ROOT

GPUSPEC = Path(sys.executable).with_name("gpuspec")
NAMED = "postrenderer.helm.sh/postrender-filename"
SERVICE = """\
---
# Source: server/templates/service.yaml
apiVersion: v1
kind: Service
metadata:
  name:   server   # odd, and kept
spec:
  selector: {app:  server}
  ports: [{port: 8000}]
"""
POD = """\
---
# Source: server/templates/pod.yaml
apiVersion: v1
kind: Pod
metadata:
  name: server
  labels: {app: server}
spec:
  containers:
    - name: main
      image: ghcr.io/example/server:1.4
      resources:
        requests: {memory: 16Gi, nvidia.com/gpu: 1}
"""
LIMITS = "        limits:\n          nvidia.com/gpu: 1\n"
DONE = subprocess.CompletedProcess[bytes]


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., DONE]:
    """`gpuspec helm postrender`, with manifests, words and variables."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("GPUSPEC_")}

    def run(text: str | bytes, *words: str, **env: str) -> DONE:
        return subprocess.run(
            [GPUSPEC, "helm", "postrender", *words],
            input=text if isinstance(text, bytes) else text.encode(),
            cwd=tmp_path,
            env=clean | env,
            capture_output=True,
            check=False,
        )

    return run


def test_what_is_right_is_the_same_byte_for_byte() -> None:
    text = (
        "\n# A comment before all.\n" + SERVICE.replace("\n", "\r\n") + POD + LIMITS + "\n\n---\n"
    )
    for fix in ("none", "safe"):
        out, result, gone = post_render(text.encode(), severity="error", fix=fix)
        assert (out, result.findings, gone) == (text, (), 0)


def test_a_fix_changes_nothing_else_and_a_second_run_nothing() -> None:
    out, result, gone = post_render((SERVICE + POD).encode(), severity="error", fix="safe")
    assert out == SERVICE + POD + LIMITS
    assert (result.findings, gone) == ((), 1)
    assert post_render(out.encode(), severity="error", fix="safe").out == out


def test_unsafe_fixes_are_made_only_when_all_are_wanted() -> None:
    pod = POD.partition("metadata:\n")[2].replace("\n", "\n    ")
    text = f"""\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: server}}
spec:
  selector: {{matchLabels: {{app: server}}}}
  template:
    metadata:
    {pod}
"""
    safe = post_render(text.encode(), fix="safe").out
    everything = post_render(text.encode(), fix="all").out
    assert "maxSurge" not in safe
    assert "maxSurge" in everything
    assert post_render(everything.encode(), fix="all").out == everything


@pytest.mark.parametrize("text", ["", "\n", "  \n\n"])
def test_no_text_is_answered_by_a_comment(text: str) -> None:
    """Helm takes empty output for a post-renderer that has failed."""
    out, result, _ = post_render(text.encode())
    assert out.startswith("#")
    assert result.findings == ()
    assert post_render(out.encode()).out == out


@pytest.mark.parametrize("text", ["---\n", "# Source: a/b.yaml\n", "---\n# Source: a\n---\n"])
def test_a_run_may_hold_no_object(text: str) -> None:
    assert post_render(text.encode()).out == text


def test_findings_name_the_template_by_the_comment_or_by_the_annotation() -> None:
    noted = POD.replace(
        "  labels:", f"  annotations: {{{NAMED}: server/templates/x.yaml}}\n  labels:"
    )
    noted = noted.replace("# Source: server/templates/pod.yaml\n", "")
    for text, template in ((POD, "server/templates/pod.yaml"), (noted, "server/templates/x.yaml")):
        found = post_render(text.encode(), severity="error").result.findings
        assert [one.template for one in found] == [template]


def test_a_hook_may_have_the_name_of_an_object() -> None:
    hook = SERVICE.replace("  name:", "  annotations: {helm.sh/hook: pre-install}\n  name:")
    found = post_render((SERVICE + hook + POD).encode()).result.findings
    assert "GPU016" not in {one.rule for one in found}
    twice = post_render((SERVICE + SERVICE + POD).encode()).result.findings
    assert "GPU016" in {one.rule for one in twice}


def test_nothing_is_printed_when_it_fails(program: Callable[..., DONE]) -> None:
    done = program(SERVICE + POD)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"error[GPU102]" in done.stderr
    assert b"template: server/templates/pod.yaml" in done.stderr
    assert b"1 can be fixed with --fix safe" in done.stderr


@pytest.mark.parametrize(
    "options",
    [
        (["--fix", "safe", "--severity", "error"], {}),
        ([], {"GPUSPEC_FIX": "safe", "GPUSPEC_SEVERITY": "error"}),
    ],
    ids=["words", "environment"],
)
def test_options_are_words_or_variables(
    program: Callable[..., DONE], options: tuple[list[str], dict[str, str]]
) -> None:
    words, env = options
    done = program(SERVICE + POD, *words, **env)
    assert (done.returncode, done.stderr) == (0, b"fixed 1\n")
    assert done.stdout.decode() == SERVICE + POD + LIMITS


def test_softer_findings_fail_where_that_is_wanted(program: Callable[..., DONE]) -> None:
    text = SERVICE + POD + LIMITS
    assert program(text).returncode == 0
    done = program(text, GPUSPEC_FAIL_ON="info")
    assert (done.returncode, done.stdout) == (1, b"")


def test_a_profile_makes_findings_certain(program: Callable[..., DONE]) -> None:
    wrong = (SERVICE + POD + LIMITS).replace("nvidia.com/gpu: 1", "nvidia.com/gpu: 64")
    assert program(wrong).returncode == 0
    cluster = str(ROOT / "examples/clusters/bare-metal.yaml")
    assert program(wrong, GPUSPEC_PROFILE=cluster).returncode == 1
    assert program(wrong, "-c", cluster).returncode == 1


@pytest.mark.parametrize(
    ("text", "env"),
    [
        (b"\xff\xfe", {}),
        (POD, {"GPUSPEC_PROFILE": "nowhere"}),
        (POD, {"GPUSPEC_FIX": "some"}),
        (POD, {"GPUSPEC_REPORT": "/nowhere/found"}),
    ],
)
def test_what_is_wrong_is_said_and_nothing_printed(
    program: Callable[..., DONE], text: str | bytes, env: dict[str, str]
) -> None:
    done = program(text, **env)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"error: " in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_report_takes_the_place_of_standard_error(
    program: Callable[..., DONE], tmp_path: Path
) -> None:
    report = tmp_path / "found.txt"
    report.write_text("before\n")
    done = program(POD, GPUSPEC_REPORT="found.txt", GPUSPEC_PROFILE="nowhere")
    assert (done.returncode, done.stderr) == (2, b"")
    done = program(POD, GPUSPEC_REPORT="found.txt")
    assert (done.returncode, done.stderr) == (1, b"")
    said = report.read_text()
    assert said.startswith("before\n")
    assert "nowhere: no such file" in said
    assert "error[GPU102]" in said
