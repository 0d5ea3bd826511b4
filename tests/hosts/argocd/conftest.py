"""An Application's folder in a repository, and the plugin's commands run there."""

import json
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from gpuspec.startup.process import main

ROOT = Path(__file__).parents[3]
APP = "apps/chat"


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str


Argocd = Callable[..., Done]


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with a profile beside an Application's folder."""
    # The name of the folder is that of the test: the sidecar of all of them unpacks each.
    folder = tmp_path / tmp_path.name
    (folder / APP).mkdir(parents=True)
    (folder / "clusters").mkdir()
    shutil.copy(ROOT / "examples/chat.yaml", folder / APP)
    shutil.copy(ROOT / "examples/clusters/bare-metal.yaml", folder / "clusters/eu.yaml")
    return folder


@pytest.fixture
def argocd(
    repo: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Argocd:
    """Runs `gpuspec argocd …` in the Application's folder, with these parameters and variables.

    `parameters=None`: for an Application without a `plugin`.
    """
    for name in [*os.environ]:
        if name.startswith(("ARGOCD_", "KUBE_", "PARAM_")):
            monkeypatch.delenv(name)

    def run(
        command: str, *words: str, parameters: object = (), folder: str = APP, **env: str
    ) -> Done:
        monkeypatch.chdir(repo / folder)
        monkeypatch.setattr(sys, "argv", ["gpuspec", "argocd", command, *words])
        given = {} if parameters is None else {"ARGOCD_APP_PARAMETERS": text(parameters)}
        env = {"ARGOCD_APP_SOURCE_PATH": APP} | given | env
        with monkeypatch.context() as patch:
            for name, value in env.items():
                patch.setenv(name, value)
            code = main()
        return Done(code, *capfd.readouterr())

    return run


def text(parameters: object) -> str:
    """Parameters as Argo CD hands them on; of a mapping, strings and lists by name."""
    if not isinstance(parameters, dict):
        return json.dumps(parameters or None)
    forms: dict[type, str] = {str: "string", list: "array", dict: "map"}
    return json.dumps([{"name": k, forms[type(v)]: v} for k, v in parameters.items()])
