"""A repository with a branch that changes a Deployment, and what a job finds on its path."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "chat", "namespace": "serving"},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"app": "chat"}},
        "template": {
            "metadata": {"labels": {"app": "chat"}},
            "spec": {
                "containers": [
                    {
                        "name": "main",
                        "image": "ghcr.io/example/server:1.0",
                        "resources": {"limits": {"nvidia.com/gpu": 1}},
                    }
                ]
            },
        },
    },
}


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=test", "-c", "user.email=test@example.com")
    command = ["git", "-C", str(folder), *who, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def write(folder: Path, gpus: object, name: str = "chat") -> None:
    """The Deployment with so many GPUs."""
    made = yaml.safe_load(yaml.safe_dump(DEPLOYMENT))
    container = made["spec"]["template"]["spec"]["containers"][0]
    container["resources"]["limits"]["nvidia.com/gpu"] = gpus
    made["metadata"]["name"] = name
    (folder / "k8s").mkdir(exist_ok=True)
    (folder / "k8s" / "chat.yaml").write_text(yaml.safe_dump(made, sort_keys=False))


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """One commit, whose Deployment asks for a GPU."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch", "main")
    write(folder, 1)
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "one")
    return folder


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder with `gpuspec`, and a `gh` that writes down what it is called with."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, text in (
        ("gpuspec", f'#!/bin/sh\nexec "{sys.executable}" -m gpuspec "$@"\n'),
        ("gh", f'#!/bin/sh\nprintf "%s\\n" "$*" >>"{tmp_path}/gh.txt"\nexit "${{GH_FAILS:-0}}"\n'),
    ):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    return folder


def environment(programs: Path, **more: str) -> dict[str, str]:
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    kept = {"HOME": str(programs), "LC_ALL": "C.UTF-8"}
    return {**kept, "PATH": path, "PYTHONPATH": str(Path(__file__).parents[3]), **more}
