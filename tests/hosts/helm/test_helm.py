"""The post-renderer in the real Helm 3 and 4, on charts of different style. C-61."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.hosts.pages import follow
from tests.hosts.programs import ROOT, program

pytestmark = pytest.mark.binaries

CHARTS = Path(__file__).parent / "charts"
STYLES = ("plain", "hooked", "operator")
VERSIONS = ("helm3", "helm4")
RENDERER = "gpuspec-postrender"
GPU_TEMPLATES = {
    "plain": "plain/templates/deployment.yaml",
    "hooked": "hooked/templates/download.yaml",
    "operator": "operator/templates/training.yaml",
}


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    said: str
    """What Helm says, and what is in the report."""


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    program(request.param)
    return str(request.param)


@pytest.fixture
def template(version: str, tmp_path: Path) -> Callable[..., Done]:
    """`helm template` with our post-renderer, as it is shipped."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("GPUSPEC_", "HELM_"))}
    tools = [
        str(Path(sys.executable).parent),
        str(ROOT / "deploy/helm" / RENDERER),
        os.environ["PATH"],
    ]

    def run(chart: str, *words: str, render: bool = True, **env: str) -> Done:
        report = tmp_path / "found.txt"
        report.write_text("")
        ours = ["--post-renderer", RENDERER] if render else []
        done = subprocess.run(
            [program(version), "template", "rel", CHARTS / chart, *ours, *words],
            cwd=tmp_path,
            env={
                **clean,
                "PATH": os.pathsep.join(tools),
                "HELM_PLUGINS": str(ROOT / "deploy/helm"),
                "HOME": str(tmp_path),
                "GPUSPEC_REPORT": str(report),
                **env,
            },
            capture_output=True,
            text=True,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr + report.read_text())

    return run


def objects(text: str) -> list[Any]:
    """What a cluster is given, the Lists opened that Helm 4 opens before a post-renderer sees them."""
    found = [one for one in yaml.safe_load_all(text) if one]
    return [item for one in found for item in (one["items"] if one["kind"] == "List" else [one])]


def key(made: Any) -> str:
    return yaml.safe_dump(made)


def without_limits(made: Any) -> Any:
    """An object as it was before the fix that the charts need."""
    if isinstance(made, dict):
        kept = {k: without_limits(v) for k, v in made.items()}
        return {k: v for k, v in kept.items() if k != "limits" or "nvidia.com/gpu" not in v}
    return [without_limits(one) for one in made] if isinstance(made, list) else made


@pytest.mark.parametrize("chart", STYLES)
def test_errors_fail_the_release_and_name_the_template(
    template: Callable[..., Done], version: str, chart: str
) -> None:
    done = template(chart, GPUSPEC_SEVERITY="error")
    if version == "helm3" and chart == "hooked":
        # Helm 3 hands no hook over: what is wrong in one is for `helm template | gpuspec lint -`.
        assert done.code == 0, done.said
        return
    assert done.code != 0
    assert done.out == ""
    assert "error[GPU102]" in done.said
    assert f"= template: {GPU_TEMPLATES[chart]}\n" in done.said


@pytest.mark.parametrize("chart", STYLES)
def test_fixes_are_released_and_all_else_is_what_the_chart_says(
    template: Callable[..., Done], version: str, chart: str
) -> None:
    plain = template(chart, render=False)
    done = template(chart, GPUSPEC_FIX="safe", GPUSPEC_SEVERITY="error")
    assert done.code == 0, done.said
    fixed = not (version == "helm3" and chart == "hooked")
    assert ("limits" in done.out and done.out.count("limits") > plain.out.count("limits")) == fixed
    before, after = objects(plain.out), [without_limits(one) for one in objects(done.out)]
    assert sorted(map(key, after)) == sorted(map(key, before))
    assert "postrenderer.helm.sh" not in done.out
    if version == "helm3":
        kept = [line for line in done.out.splitlines() if line in plain.out.splitlines()]
        assert kept == plain.out.splitlines()


def test_options_are_arguments_too(template: Callable[..., Done]) -> None:
    words = ["--fix", "safe", "--severity", "error"]
    done = template("plain", *(w for word in words for w in ("--post-renderer-args", word)))
    assert done.code == 0, done.said
    assert "limits:" in done.out
    assert done.said.endswith("fixed 1\n")


def test_a_chart_that_renders_nothing_passes(template: Callable[..., Done]) -> None:
    done = template("plain", "--set", "enabled=false")
    assert done.code == 0, done.said
    assert objects(done.out) == []


def test_what_is_not_ours_passes_unchanged(template: Callable[..., Done]) -> None:
    """Nothing in the release has a GPU; the hook has the name of an object, and is no duplicate."""
    done = template("hooked", "-s", "templates/account.yaml", GPUSPEC_FIX="safe")
    assert done.code == 0, done.said
    assert "GPU016" not in done.said
    assert {one["kind"] for one in objects(done.out)} == {"ServiceAccount"}


def test_a_wrong_option_fails_the_release(template: Callable[..., Done]) -> None:
    done = template("plain", GPUSPEC_PROFILE="nowhere")
    assert done.code != 0
    assert done.out == ""
    assert "nowhere: no such file" in done.said


def test_helm_4_drops_what_is_said(template: Callable[..., Done], version: str) -> None:
    """Why there is `--report`."""
    done = template("plain", GPUSPEC_REPORT="")
    assert done.code != 0
    assert ("GPU102" in done.said) == (version == "helm3")


def test_the_page_can_be_followed(version: str, tmp_path: Path) -> None:
    programs = {
        "helm": program(version),
        RENDERER: ROOT / "deploy/helm" / RENDERER / RENDERER,
    }
    page = ROOT / "docs/helm.md"
    assert follow(page, tmp_path, programs, version) == {"helm3": 1, "helm4": 3}[version]
    assert program(version).parent.name.rpartition("-v")[2] in page.read_text()
