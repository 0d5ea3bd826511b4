"""The page says how a target is added; what it shows is all that it takes."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from msgspec.structs import fields

from gpuspec.plan.target import Target

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/targets.md").read_text(encoding="utf-8")
SHOWN = re.compile(r"^<!-- file: (\S+) -->\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what the program is made of, with the files that the page shows."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in ("gpuspec", "templates", "schemas", "examples"):
        ignored = shutil.ignore_patterns("__pycache__", "rendered")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name, text in SHOWN.findall(PAGE):
        assert not (folder / name).exists()
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def gpuspec(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "gpuspec", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_two_files_are_a_target(checkout: Path) -> None:
    assert len(SHOWN.findall(PAGE)) == 2
    on = ("-c", "examples/clusters/bare-metal.yaml")
    done = gpuspec(checkout, "render", "examples/chat-70b.yaml", *on, "--target", "statefulset")
    assert done.returncode == 0, done.stderr
    made = {one["kind"]: one for one in yaml.safe_load_all(done.stdout)}
    assert "Deployment" not in made
    assert made["StatefulSet"]["spec"]["replicas"] == 2
    (checkout / "made.yaml").write_text(done.stdout)
    found = gpuspec(checkout, "lint", "made.yaml", *on)
    assert (found.returncode, found.stdout) == (0, "")
    told = gpuspec(checkout, "explain", "examples/chat-70b.yaml", *on, "--target", "statefulset")
    assert "podManagementPolicy = Parallel" in told.stdout


def test_it_is_found_by_whoever_chooses_wrongly(checkout: Path) -> None:
    on = ("-c", "examples/clusters/bare-metal.yaml")
    wrong = gpuspec(checkout, "render", "examples/chat-70b.yaml", *on, "--target", "statefulsets")
    assert "did you mean `statefulset`?" in wrong.stderr
    other = gpuspec(checkout, "render", "examples/chat-70b.yaml", *on, "--target", "job")
    assert "targets that carry a service: deployment, lws, statefulset" in other.stderr


def test_a_queue_that_it_does_not_know_is_refused(checkout: Path) -> None:
    line = ("examples/chat-70b.yaml", "-c", "examples/clusters/bare-metal.yaml")
    asked = ("--target", "statefulset", "--set", "chat-70b:queue=research")
    done = gpuspec(checkout, "render", *line, *asked)
    assert (done.returncode, done.stdout) == (1, "")
    assert "pods of target statefulset are not queued" in done.stderr


def test_others_are_rendered_as_before(checkout: Path) -> None:
    line = ("render", "examples/pretrain.yaml", "-c", "examples/clusters/operators.yaml")
    assert gpuspec(checkout, *line).stdout == gpuspec(ROOT, *line).stdout


def test_the_page_has_every_field_of_the_record() -> None:
    table = PAGE.rpartition("The record")[2].partition("What its webhook")[0]
    named = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (.*?) \|", table, re.MULTILINE))))
    assert named == {field.name for field in fields(Target)}
