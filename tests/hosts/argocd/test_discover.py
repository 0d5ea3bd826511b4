"""`gpuspec argocd discover`: a file of ours, or nothing at all; either way exit 0 and no talk."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.hosts.argocd.conftest import Argocd

PROFILE = "apiVersion: gpuspec.dev/v1alpha1\nkind: ClusterProfile\nmetadata: {name: eu}\n"
OBJECT = "apiVersion: v1\nkind: Service\nmetadata: {annotations: {gpuspec.dev/v1x: a}, name: b}\n"


@pytest.mark.parametrize("folder", [".", "apps/chat"])
def test_it_looks_into_the_applications_folder(argocd: Argocd, folder: str) -> None:
    done = argocd("discover", folder=folder)
    assert (done.code, done.out, done.err) == (0, "./chat.yaml\n", "")


def test_what_lies_beside_it_is_another_applications(argocd: Argocd, repo: Path) -> None:
    (repo / "apps/web").mkdir()
    done = argocd("discover", folder=".", ARGOCD_APP_SOURCE_PATH="apps/web")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert (
        argocd("discover", folder=".", ARGOCD_APP_SOURCE_PATH="").out == "./apps/chat/chat.yaml\n"
    )


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        (PROFILE, False),
        (OBJECT, False),
        (f"{OBJECT}---\n{PROFILE}", False),
        ("a: {{ .Values.x }}\nb: gpuspec.dev/v1x\n{{ end }}\n", False),
        ("apiVersion: gpuspec.dev/v1alpha1\nkind: Inferense\n", True),
        ("apiVersion: gpuspec.dev/v1alpha1\nkind: [\n", True),
        ('{"apiVersion": "gpuspec.dev/v1alpha1", "kind": "Training"}', True),
        ("", False),
    ],
)
def test_a_spec_is_ours_a_broken_one_too_and_nothing_else(
    argocd: Argocd, repo: Path, text: str, ours: bool
) -> None:
    (repo / "apps/chat/chat.yaml").write_text(text)
    done = argocd("discover")
    assert (done.code, bool(done.out), done.err) == (0, ours, "")


@pytest.mark.parametrize("name", ["Chart.yaml", "kustomization.yaml", "Kustomization"])
def test_what_is_another_tools_is_left_to_it(argocd: Argocd, repo: Path, name: str) -> None:
    (repo / "apps/chat" / name).write_text("")
    assert argocd("discover").out == ""


@pytest.mark.parametrize("path", ["../..", "/", "..", "apps/./chat/", "nowhere"])
def test_odd_paths_do_no_harm(argocd: Argocd, path: str) -> None:
    done = argocd("discover", ARGOCD_APP_SOURCE_PATH=path)
    assert (done.code, done.out) == (0, "./chat.yaml\n")


def test_where_nothing_is_ours_next_to_nothing_is_imported(repo: Path) -> None:
    (repo / "apps/chat/chat.yaml").write_text(
        OBJECT.replace("gpuspec.dev/v1x", "gpuspec.dev/image")
    )
    heavy = {"typer", "gpuspec.spec", "gpuspec.plan", "gpuspec.lint", "gpuspec.report"}
    assert heavy & imported(repo, "discover") == set()


def test_no_command_waits_for_the_command_lines_machinery(repo: Path) -> None:
    for command in ("generate", "discover", "parameters"):
        assert {"typer", "rich", "inspect"} & imported(repo, command) == set()


def imported(repo: Path, command: str) -> set[str]:
    """What a command imports that it was asked for in the Application's folder."""
    program = "import sys\nfrom gpuspec.startup.process import main\nmain()\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program, "argocd", command],
        cwd=repo / "apps/chat",
        capture_output=True,
        text=True,
        check=True,
    )
    return {*done.stdout.splitlines()[-1].split()}
