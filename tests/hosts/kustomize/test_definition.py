"""The definition of the KRM function: its schema says what the program says, and it is of this version."""

import re
import subprocess
import sys
from typing import Any

import jsonschema
import pytest
import yaml

import gpuspec
from gpuspec.hosts.krm import answer
from tests.hosts.kustomize.test_krm import GOOD, resources
from tests.hosts.programs import ROOT

IMAGE = r"\bgpuspec(?:-\w+)?:(\d[\w.]*)"
FILE = ROOT / "deploy/kustomize/function.yaml"
DEFINITION: dict[str, Any] = yaml.safe_load(FILE.read_text())
VERSION: dict[str, Any] = DEFINITION["spec"]["versions"][0]
CHECK = jsonschema.Draft202012Validator(VERSION["schema"]["openAPIV3Schema"])


def config(spec: str) -> dict[str, Any]:
    return yaml.safe_load(resources(GOOD, spec))["functionConfig"]


def test_it_is_made_anew_as_it_is() -> None:
    made = "import runpy, sys; print(runpy.run_path('schemas/make_krm.py')['text'](), end='')"
    done = subprocess.run([sys.executable, "-c", made], cwd=ROOT, capture_output=True, check=True)
    assert done.stdout.decode() == FILE.read_text(), "run: python schemas/make_krm.py"


@pytest.mark.parametrize(
    "spec",
    [
        "{}",
        "{profile: gke, select: [GPU1], ignore: [GPU102], severity: info, failOn: warning}",
        "{annotate: true}",
    ],
)
def test_what_the_schema_takes_the_program_takes(spec: str) -> None:
    assert not [*CHECK.iter_errors(config(spec))]
    assert answer(resources(GOOD, spec)).code == 0


@pytest.mark.parametrize(
    "spec", ["{profil: gke}", "{failOn: fatal}", "{select: GPU1}", "{annotate: 1}", "[]"]
)
def test_what_the_schema_refuses_the_program_refuses(spec: str) -> None:
    assert [*CHECK.iter_errors(config(spec))]
    assert answer(resources(GOOD, spec)).code == 2


def test_the_shipped_config_is_one_of_its() -> None:
    shipped = yaml.safe_load((ROOT / "deploy/kustomize/lint.yaml").read_text())
    assert not [*CHECK.iter_errors(shipped)]
    function = yaml.safe_load(shipped["metadata"]["annotations"]["config.kubernetes.io/function"])
    assert function == {"exec": VERSION["runtime"]["exec"]}


def test_what_is_shipped_names_this_version() -> None:
    """Images of ours, and plugins."""
    image, plugin = (re.compile(one, re.MULTILINE) for one in (IMAGE, r"^version: *(\S+)"))
    found: dict[str, set[str]] = {}
    for path in (*(ROOT / "deploy").rglob("*"), *(ROOT / "docs").glob("*.md")):
        if path.is_file() and path.suffix in ("", ".yaml", ".md"):
            text = path.read_text()
            named = {*image.findall(text)}
            named.update(plugin.findall(text) if path.name == "plugin.yaml" else ())
            if named:
                found[path.relative_to(ROOT).as_posix()] = named
    assert {file: named for file, named in found.items() if named != {gpuspec.__version__}} == {}
    assert {"deploy/kustomize/function.yaml", "deploy/helm/gpuspec/plugin.yaml"} < found.keys()
