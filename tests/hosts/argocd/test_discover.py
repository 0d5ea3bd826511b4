"""`gpuspec argocd discover`: a file of ours; else nothing at all, or why to an Application with a plugin."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.hosts.argocd.conftest import APP, Argocd

PROFILE = "apiVersion: gpuspec.dev/v1alpha1\nkind: ClusterProfile\nmetadata: {name: eu}\n"
OBJECT = "apiVersion: v1\nkind: Service\nmetadata: {annotations: {gpuspec.dev/v1x: a}, name: b}\n"


@pytest.mark.parametrize("folder", [".", "apps/chat"])
def test_it_looks_into_the_applications_folder(argocd: Argocd, folder: str) -> None:
    done = argocd("discover", folder=folder)
    assert (done.code, done.out, done.err) == (0, "./chat.yaml\n", "")


def test_what_lies_beside_it_is_another_applications(argocd: Argocd, repo: Path) -> None:
    (repo / "apps/web").mkdir()
    done = argocd("discover", parameters=None, folder=".", ARGOCD_APP_SOURCE_PATH="apps/web")
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
    done = argocd("discover", parameters=None)
    assert (done.code, bool(done.out), done.err) == (0, ours, "")
    asked = argocd("discover")
    assert (asked.code, bool(asked.out)) == ((0, True) if ours else (2, False))
    assert asked.err.startswith("" if ours else "error: no gpuspec workload in the folder of the")


@pytest.mark.parametrize("name", ["Chart.yaml", "kustomization.yaml", "Kustomization"])
def test_what_is_another_tools_is_left_to_it(argocd: Argocd, repo: Path, name: str) -> None:
    (repo / "apps/chat" / name).write_text("")
    done = argocd("discover", parameters=None)
    assert (done.code, done.out, done.err) == (0, "", "")
    done = argocd("discover", parameters={"profile": "gke"})
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(
        f"error: because of {name}, Argo CD takes the Application's folder for another tool\n"
    )
    assert argocd("discover", parameters={"specs": ["chat.yaml"]}).out == "chat.yaml\n"


def test_specs_that_are_named_are_where_it_looks(argocd: Argocd, repo: Path) -> None:
    (repo / "shared").mkdir()
    (repo / APP / "chat.yaml").rename(repo / "shared" / "chat.yaml")
    named = {"specs": ["../../shared"]}
    assert argocd("discover", parameters=named).out == "../../shared/chat.yaml\n"
    done = argocd("discover", parameters={"specs": ["../../clusters"]})
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: no gpuspec workload in ../../clusters\n")


def test_parameters_of_another_plugin_are_for_generate_to_refuse(argocd: Argocd) -> None:
    done = argocd("discover", parameters={"values-files": ["a.yaml"]})
    assert (done.code, done.out, done.err) == (0, "./chat.yaml\n", "")


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
