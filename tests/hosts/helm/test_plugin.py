"""`helm gpuspec` and the post-renderer as plugins: installed, run, updated and removed by the real Helm."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

import gpuspec
from tests.hosts.programs import ROOT, program

pytestmark = pytest.mark.binaries

CHART = Path(__file__).parent / "charts/plain"
PLUGIN, RENDERER = ROOT / "deploy/helm/gpuspec", ROOT / "deploy/helm/gpuspec-postrender"
OURS = Path(sys.executable).parent
"""A folder of $PATH with a gpuspec of this version."""
NEEDED = ("sh", "sed", "dirname", "rm")
Done = subprocess.CompletedProcess[str]


@dataclass(frozen=True)
class Helm:
    """A Helm with a home of its own."""

    program: Path
    home: Path

    def __call__(self, *words: str | Path, path: str | None = None) -> Done:
        own = {k: v for k, v in os.environ.items() if not k.startswith(("GPUSPEC_", "HELM_"))}
        return subprocess.run(
            [self.program, *words],
            cwd=self.home,
            env={
                **own,
                "PATH": path or f"{OURS}{os.pathsep}{os.environ['PATH']}",
                "HOME": str(self.home),
                "XDG_DATA_HOME": str(self.home / "data"),
            },
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def installed(self) -> list[list[str]]:
        lines = self("plugin", "list").stdout.splitlines()[1:]
        return [line.split() for line in lines if line.strip()]

    @property
    def made(self) -> Path:
        """Where the plugin puts a gpuspec of its own."""
        return self.home / f"data/helm/plugins/.gpuspec-python/{gpuspec.__version__}/bin/gpuspec"


def without_gpuspec(folder: Path, *programs: str) -> str:
    """A $PATH with what the plugin's scripts run, and with some programs of ours."""
    folder.mkdir()
    for name in NEEDED:
        found = shutil.which(name)
        assert found
        (folder / name).symlink_to(found)
    for name in programs:
        (folder / name).symlink_to(Path(sys.base_prefix) / "bin/python3")
    return str(folder)


@pytest.fixture(params=("helm3", "helm4"))
def helm(request: pytest.FixtureRequest, tmp_path: Path) -> Helm:
    return Helm(program(request.param), tmp_path)


@pytest.fixture
def newest(tmp_path: Path) -> Helm:
    return Helm(program("helm4"), tmp_path)


def test_the_plugins_are_of_this_version() -> None:
    for folder in (PLUGIN, RENDERER):
        assert (
            yaml.safe_load((folder / "plugin.yaml").read_text())["version"] == gpuspec.__version__
        )


def test_it_is_installed_run_and_removed(helm: Helm) -> None:
    done = helm("plugin", "install", PLUGIN)
    assert done.returncode == 0, done.stderr
    assert f"helm gpuspec is {OURS / 'gpuspec'}\n" in done.stdout
    assert [line[:2] for line in helm.installed] == [["gpuspec", gpuspec.__version__]]
    assert not helm.made.exists()
    assert "gpuspec     typed GPU workloads, and a linter for them" in helm("--help").stdout
    assert helm("gpuspec", "--version").stdout == f"gpuspec {gpuspec.__version__}\n"

    assert helm("plugin", "uninstall", "gpuspec").returncode == 0
    assert helm.installed == []
    assert helm("gpuspec", "--version").returncode != 0


def test_it_says_what_people_type_and_ends_with_our_exit_codes(helm: Helm) -> None:
    helm("plugin", "install", PLUGIN)
    assert helm("gpuspec", "lint", "--help").stdout.startswith("Usage: helm gpuspec lint ")
    wrong = helm("gpuspec", "lnit")
    assert wrong.returncode == 2
    assert "did you mean `helm gpuspec lint`?" in wrong.stderr
    # The chart is rendered by the Helm whose plugin it is, which is not on the path.
    found = helm("gpuspec", "lint", str(CHART), "--color", "never", "--select", "GPU102")
    assert found.returncode == 1
    assert "= template: plain/templates/deployment.yaml\n" in found.stdout


def test_where_there_is_no_gpuspec_it_brings_its_own(helm: Helm, tmp_path: Path) -> None:
    """In an environment of its own, from the checkout; a folder with a space will do."""
    path = without_gpuspec(tmp_path / "few programs", "python3")
    done = helm("plugin", "install", PLUGIN, path=path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"installing gpuspec {gpuspec.__version__} with python3 into " in done.stdout
    assert helm.made.exists()
    version = helm("gpuspec", "--version", path=path)
    assert version.stdout == f"gpuspec {gpuspec.__version__}\n"
    if "helm-v4" in str(helm.program):
        helm("plugin", "install", RENDERER, path=path)
        words = ("template", "rel", CHART, "--post-renderer", "gpuspec-postrender")
        fixed = helm(
            *words, "--post-renderer-args", "--fix", "--post-renderer-args", "safe", path=path
        )
        assert "limits:" in fixed.stdout
    assert helm("plugin", "uninstall", "gpuspec", path=path).returncode == 0
    assert not helm.made.parents[2].exists()


@pytest.mark.parametrize("programs", [(), ("python3",)], ids=["no Python", "an old Python"])
def test_without_a_python_it_says_what_to_install(
    helm: Helm, tmp_path: Path, programs: tuple[str, ...]
) -> None:
    path = Path(without_gpuspec(tmp_path / "bin"))
    for name in programs:
        (path / name).write_text("#!/bin/sh\nexit 1\n")
        (path / name).chmod(0o755)
    done = helm("plugin", "install", PLUGIN, path=str(path))
    assert done.returncode != 0
    assert "error: no gpuspec " in done.stderr
    assert "no Python 3.11 or newer with venv" in done.stderr
    assert "apt-get install python3-venv" in done.stderr
    # What the message says works.
    assert helm("plugin", "uninstall", "gpuspec").returncode == 0
    assert helm("plugin", "install", PLUGIN).returncode == 0


def test_a_gpuspec_that_is_gone_is_said(helm: Helm, tmp_path: Path) -> None:
    helm("plugin", "install", PLUGIN)
    done = helm("gpuspec", "lint", path=without_gpuspec(tmp_path / "bin"))
    assert done.returncode == 2
    assert f"error: there is no gpuspec {gpuspec.__version__}: " in done.stderr


def test_a_plugin_from_git_is_updated(helm: Helm, tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(PLUGIN, source)

    def git(*words: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.com")
        subprocess.run(["git", *who, *words], cwd=source, check=True, capture_output=True)

    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "one")
    unsigned = ("--verify=false",) if "helm-v4" in str(helm.program) else ()
    done = helm("plugin", "install", *unsigned, f"file://{source}")
    assert done.returncode == 0, done.stderr
    text = (source / "plugin.yaml").read_text()
    (source / "plugin.yaml").write_text(
        text.replace("usage: ", "usage: newer: ").replace("newer: ", "newer ")
    )
    git("commit", "-qam", "two")
    done = helm("plugin", "update", "gpuspec")
    assert done.returncode == 0, done.stderr
    assert "helm gpuspec is " in done.stdout
    assert "newer typed GPU workloads" in helm("--help").stdout


def test_the_post_renderer_is_a_plugin_of_helm_4(newest: Helm) -> None:
    newest("plugin", "install", PLUGIN)
    newest("plugin", "install", RENDERER)
    assert [line[:3] for line in newest.installed] == [
        ["gpuspec", gpuspec.__version__, "cli/v1"],
        ["gpuspec-postrender", gpuspec.__version__, "postrenderer/v1"],
    ]
    fix = ("--post-renderer-args", "--fix", "--post-renderer-args", "safe")
    done = newest("template", "rel", CHART, "--post-renderer", "gpuspec-postrender", *fix)
    assert "limits:" in done.stdout, done.stderr
