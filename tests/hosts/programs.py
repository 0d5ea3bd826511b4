"""The real programs of hosts, in the versions that `tests/hosts/tools` and `tests/tools` pin."""

import re
from pathlib import Path

import pytest

from tests.control_plane import binaries

ROOT = Path(__file__).parents[2]
PINS = {
    "kustomize-old": ("tests/hosts/tools/kustomize-old", "sigs.k8s.io/kustomize/kustomize/v5"),
    "kustomize-new": ("tests/hosts/tools/kustomize-new", "sigs.k8s.io/kustomize/kustomize/v5"),
    "helm3": ("tests/hosts/tools/helm3", "helm.sh/helm/v3"),
    "helm4": ("tests/tools", "helm.sh/helm/v4"),
}
KUSTOMIZES = ("kustomize-old", "kustomize-new")


def program(name: str) -> Path:
    """The program; the test is skipped where it is not built."""
    folder, module = PINS[name]
    pins = (ROOT / folder / "go.mod").read_text()
    found = re.search(rf"^\s*(?:require )?{re.escape(module)} (v\S+)", pins, re.MULTILINE)
    assert found, f"{folder}/go.mod does not pin {module}"
    short = re.match(r"[a-z]+", name)
    assert short
    path = binaries.cache() / f"{short[0]}-{found[1]}" / short[0]
    if not path.exists():
        way = "make tools" if name == "helm4" else "tests/hosts/tools/install"
        pytest.skip(f"{short[0]} {found[1]} is not built; to build it: {way}")
    return path
