"""One spec and one profile in few words, and what the program makes of them."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpuspec.startup.process import main

Values = dict[str, Any]

TRAINING = {"image": "ghcr.io/example/train:1", "command": ["python", "-m", "train"]}
BATCH = {"image": "ghcr.io/example/score:1", "command": ["python", "-m", "score"]}
SERVING = {
    "runtime": "vllm",
    "image": "vllm/vllm-openai:v0.33.0",
    "model": {"id": "org/model", "size": "16Gi", "source": {"pvc": "weights"}},
}


class Run:
    """`gpuspec` on one spec and one profile."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.capsys = capsys

    def __call__(
        self,
        command: str,
        kind: str,
        spec: Values,
        *options: str,
        profile: Values | None = None,
        name: str = "work",
    ) -> tuple[int, str, str]:
        """Exit code, stdout and stderr."""
        files = {
            "spec.yaml": (kind, name, spec),
            "profile.yaml": ("ClusterProfile", "here", {"kubernetes": "1.36", **(profile or {})}),
        }
        for name, (what, called, fields) in files.items():
            document = {
                "apiVersion": "gpuspec.dev/v1alpha1",
                "kind": what,
                "metadata": {"name": called},
                "spec": fields,
            }
            (self.folder / name).write_text(json.dumps(document, indent=1))
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            patch.setattr(
                "sys.argv", ["gpuspec", command, "spec.yaml", "-c", "profile.yaml", *options]
            )
            code = main()
        return (code, *self.capsys.readouterr())

    def objects(self, kind: str, spec: Values, **profile: Any) -> list[Values]:
        """What is rendered."""
        code, out, said = self("render", kind, spec, profile=profile)
        assert code == 0, said
        return list(yaml.safe_load_all(out))

    def refused(self, kind: str, spec: Values, **profile: Any) -> str:
        """Why nothing is, on one line."""
        code, out, said = self("render", kind, spec, profile=profile)
        assert (code, out) == (1, ""), said
        return " ".join(said.split())


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    return Run(tmp_path, capsys)
