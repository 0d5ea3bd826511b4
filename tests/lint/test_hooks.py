"""The hooks that ship, run by the real `pre-commit` on a repository of its own."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.binaries

SHIPPED = (
    *("gpuspec", "templates", "schemas", "pyproject.toml", "README.md", "LICENSE"),
    ".pre-commit-hooks.yaml",
)
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: ml}
spec:
  containers:
    - name: main
      image: example.com/app:1
      resources:
        requests: {nvidia.com/gpu: 1}
"""
FIXED = POD.replace("gpu: 1}", "gpu: 1}\n        limits: {nvidia.com/gpu: 1}")
CONFIG = """\
repos:
  - repo: {repository}
    rev: {revision}
    hooks:
      - id: gpuspec-lint
        args: [--select, GPU102]
      - id: gpuspec-lint-all
        args: [., --select, GPU102]
      - id: gpuspec-render-check
        args: [specs/, -o, rendered/]
"""


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", *arguments]
    return subprocess.run(
        command, cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """This checkout as a repository that hooks are taken from, and its one revision."""
    folder = tmp_path_factory.mktemp("shipped")
    for name in SHIPPED:
        source = ROOT / name
        ignore = shutil.ignore_patterns("__pycache__")
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=ignore)
        else:
            shutil.copy(source, folder / name)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "as it is")
    return folder, git(folder, "rev-parse", "HEAD")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def repository(tmp_path: Path, shipped: tuple[Path, str]) -> Path:
    where, revision = shipped
    config = CONFIG.format(repository=where, revision=revision)
    (tmp_path / ".pre-commit-config.yaml").write_text(config)
    (tmp_path / "specs").mkdir()
    shutil.copy(ROOT / "examples/gpu-smoke-test.yaml", tmp_path / "specs/smoke.yaml")
    git(tmp_path, "init", "--quiet")
    return tmp_path


@pytest.fixture
def hook(repository: Path, cache: Path) -> Callable[..., tuple[bool, str]]:
    program = Path(sys.executable).with_name("pre-commit")

    def run(name: str, *arguments: str) -> tuple[bool, str]:
        """Whether the hook passes on what is staged, and what it says."""
        git(repository, "add", "--all")
        done = subprocess.run(
            [program, "run", name, "--verbose", "--color", "never", *arguments],
            cwd=repository,
            env={**os.environ, "PRE_COMMIT_HOME": str(cache)},
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        said = done.stdout + done.stderr
        assert "An unexpected error" not in said, said
        return done.returncode == 0, said

    return run


def test_changed_files_are_linted(hook: Callable[..., tuple[bool, str]], repository: Path) -> None:
    (repository / "pod.yaml").write_text(POD)
    (repository / "values.yaml").write_text("a: 1\n")
    (repository / "template.yaml").write_text("{{ if .x }}\nkind: Pod\napiVersion: v1\n{{ end }}\n")
    passed, said = hook("gpuspec-lint")
    assert not passed
    assert "pod.yaml:9:20" in said
    assert "note: template.yaml: skipped" in said
    (repository / "pod.yaml").write_text(FIXED)
    passed, said = hook("gpuspec-lint")
    assert passed, said


def test_a_commit_of_other_files_passes(
    hook: Callable[..., tuple[bool, str]], repository: Path
) -> None:
    (repository / "mkdocs.yml").write_text("x: !!python/name:a.b\n")
    (repository / "tsconfig.json").write_text("{\n  // strict\n}\n")
    passed, said = hook("gpuspec-lint", "--files", "mkdocs.yml", "tsconfig.json")
    assert passed, said


def test_the_whole_set_is_linted_when_any_of_it_changed(
    hook: Callable[..., tuple[bool, str]], repository: Path
) -> None:
    (repository / "pod.yaml").write_text(POD)
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--no-verify", "--message", "one")
    (repository / "other.yaml").write_text("a: 1\n")
    assert hook("gpuspec-lint")[0], "the changed file alone has nothing"
    passed, said = hook("gpuspec-lint-all")
    assert not passed
    assert "pod.yaml:9:20" in said


def test_what_is_committed_is_what_the_specs_give(
    hook: Callable[..., tuple[bool, str]], repository: Path
) -> None:
    passed, said = hook("gpuspec-render-check")
    assert not passed
    assert "is missing" in said
    import gpuspec

    spec = str(repository / "specs")
    made = [item for one in gpuspec.load(spec) for item in gpuspec.render(one).objects]
    profile = gpuspec.load_profiles()[0].name
    gpuspec.write_folder(repository / "rendered", made, [repository / "specs", profile])
    passed, said = hook("gpuspec-render-check")
    assert passed, said
    (written,) = (repository / "rendered").glob("*.yaml")
    written.write_text(written.read_text() + "# by hand\n")
    passed, said = hook("gpuspec-render-check")
    assert not passed
    assert f"rendered/{written.name} differs" in said
