"""The real programs of hosts, in the versions that `tests/hosts/tools` and `tests/tools` pin."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.control_plane import binaries

ROOT = Path(__file__).parents[2]
TOOLS = "tests/hosts/tools"


class Pin(NamedTuple):
    """Where a program is pinned, what it is called, and what builds it."""

    folder: str
    module: str
    program: str
    built_by: str = f"{TOOLS}/install"


_KUSTOMIZE = "sigs.k8s.io/kustomize/kustomize/v5"
PINS = {
    "argo-cd": Pin(
        f"{TOOLS}/argo-cd", "github.com/argoproj/argo-cd/v3", "argo-cd", "make argocd-tools"
    ),
    "kustomize-old": Pin(f"{TOOLS}/kustomize-old", _KUSTOMIZE, "kustomize"),
    "kustomize-new": Pin(f"{TOOLS}/kustomize-new", _KUSTOMIZE, "kustomize"),
    "helm3": Pin(f"{TOOLS}/helm3", "helm.sh/helm/v3", "helm"),
    "helm4": Pin("tests/tools", "helm.sh/helm/v4", "helm", "make tools"),
}
KUSTOMIZES = ("kustomize-old", "kustomize-new")


def version(name: str) -> str:
    """The version of a program that is pinned, such as `v5.8.1`."""
    pin = PINS[name]
    pins = (ROOT / pin.folder / "go.mod").read_text()
    found = re.search(rf"^\s*(?:require )?{re.escape(pin.module)} (v\S+)", pins, re.MULTILINE)
    assert found, f"{pin.folder}/go.mod does not pin {pin.module}"
    return found[1]


def program(name: str) -> Path:
    """The program; the test is skipped where it is not built."""
    pin = PINS[name]
    own = binaries.digest_of_main(ROOT / pin.folder)
    path = binaries.cache() / f"{pin.program}-{version(name)}{own}" / pin.program
    if not path.exists():
        pytest.skip(f"{pin.program} {version(name)} is not built; to build it: {pin.built_by}")
    return path
