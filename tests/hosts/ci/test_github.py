"""The GitHub Action: its steps are carried out in their order, as a runner does (C-60)."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.hosts.ci.conftest import environment, git, write

ROOT = Path(__file__).parents[3]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
EXPRESSION = re.compile(r"\$\{\{ (.+?) \}\}")


@dataclass
class Ran:
    """What a job left behind."""

    code: int = 0
    log: str = ""
    steps: list[str] = field(default_factory=list)
    outputs: dict[str, str] = field(default_factory=dict)
    summary: str = ""
    comments: str = ""


class Runner:
    """Carries out a composite action; installs nothing, and uploads nothing."""

    def __init__(self, repository: Path, programs: Path, folder: Path) -> None:
        self.repository, self.programs, self.folder = repository, programs, folder

    def run(self, event: str = "pull_request", fails: bool = False, **inputs: str) -> Ran:
        known = {
            "github.action_path": str(ROOT),
            "github.event_name": event,
            "github.event.pull_request.base.sha": git(self.repository, "rev-parse", "main"),
            "github.event.pull_request.number": "7",
            "github.token": "secret-token",
        }
        for name, given in ACTION["inputs"].items():
            known[f"inputs.{name}"] = inputs.pop(name.replace("-", "_"), given["default"])
        assert not inputs, f"no such inputs: {inputs}"
        done = Ran()
        for name in ("summary", "path"):
            (self.folder / name).write_text("")
        for step in ACTION["runs"]["steps"]:
            if not self._wanted(step.get("if"), known):
                continue
            done.steps.append(step["name"])
            if "uses" in step or step["name"] == "Install gpuspec":
                continue
            (self.folder / "output").write_text("")
            code, log = self._step(step, known, fails)
            done.log += log
            for line in (self.folder / "output").read_text().splitlines():
                key, _, value = line.partition("=")
                if "id" in step:
                    done.outputs[key] = known[f"steps.{step['id']}.outputs.{key}"] = value
            if code:
                done.code = code
                break
        done.summary = (self.folder / "summary").read_text()
        said = self.folder / "gh.txt"
        done.comments = said.read_text() if said.exists() else ""
        return done

    def _wanted(self, condition: str | None, known: dict[str, str]) -> bool:
        for each in (condition or "").split(" && ") if condition else ():
            name, _, value = each.partition(" == ")
            if known.get(name, "") != value.strip("'"):
                return False
        return True

    def _step(self, step: dict[str, Any], known: dict[str, str], fails: bool) -> tuple[int, str]:
        given = {
            name: EXPRESSION.sub(lambda found: known[found[1]], str(value))
            for name, value in step.get("env", {}).items()
        }
        given |= {
            "RUNNER_TEMP": str(self.folder),
            "GITHUB_OUTPUT": str(self.folder / "output"),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary"),
            "GITHUB_PATH": str(self.folder / "path"),
            "GH_FAILS": "1" if fails else "0",
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.repository,
            env=environment(self.programs, **given),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout


@pytest.fixture
def runner(repository: Path, programs: Path, tmp_path: Path) -> Runner:
    return Runner(repository, programs, tmp_path)


def branch(repository: Path, gpus: object) -> None:
    git(repository, "switch", "--quiet", "-c", "change")
    write(repository, gpus)
    git(repository, "commit", "--quiet", "-am", "two")


def test_a_pull_request_is_linted_and_told_what_it_changes(
    runner: Runner, repository: Path
) -> None:
    branch(repository, 4)
    done = runner.run(path="k8s")
    assert done.code == 0, done.log
    assert done.steps == [
        "Install gpuspec",
        "Lint",
        "Upload to code scanning",
        "Comment on the pull request",
    ]
    assert done.outputs == {"findings": "false", "differences": "true"}
    assert done.comments.startswith("pr comment 7 --edit-last --body-file")
    assert "--create-if-none" in done.comments
    body = (runner.folder / "gpuspec-diff.md").read_text()
    assert "1 → 4" in body
    assert body in done.summary
    report = json.loads((repository / "gpuspec.sarif").read_text())
    places = [one["locations"][0]["physicalLocation"] for one in report["runs"][0]["results"]]
    assert {place["artifactLocation"]["uri"] for place in places} == {"k8s/chat.yaml"}


def test_findings_fail_the_job_after_they_are_uploaded(runner: Runner, repository: Path) -> None:
    branch(repository, "0.5")
    done = runner.run(path="k8s")
    assert done.code == 1
    assert done.steps[-3:] == [
        "Upload to code scanning",
        "Comment on the pull request",
        "Fail on findings",
    ]
    assert done.outputs["findings"] == "true"
    assert "GPU103" in done.log or "GPU101" in done.log
    assert runner.run(path="k8s", fail_on="never").code == 0


def test_where_nothing_changes_no_comment_is_made(runner: Runner, repository: Path) -> None:
    git(repository, "switch", "--quiet", "-c", "change")
    done = runner.run()
    assert done.outputs["differences"] == "false"
    assert "--create-if-none" not in done.comments


def test_a_fork_that_may_not_comment_does_not_fail(runner: Runner, repository: Path) -> None:
    branch(repository, 2)
    done = runner.run(path="k8s", fails=True)
    assert done.code == 0, done.log
    assert "::notice::gpuspec: the comment failed" in done.log


def test_a_push_compares_nothing(runner: Runner) -> None:
    done = runner.run(event="push")
    assert "Comment on the pull request" not in done.steps
    assert done.comments == ""


def test_switches_leave_steps_out(runner: Runner) -> None:
    assert runner.run(sarif="false", diff="false").steps == ["Install gpuspec", "Lint"]


def test_what_is_wrong_with_the_inputs_ends_the_job(runner: Runner) -> None:
    done = runner.run(path="k8z")
    assert done.code == 2
    assert "no such file or folder" in done.log
    assert done.steps == ["Install gpuspec", "Lint"]
    assert runner.run(profile="nowhere").code == 2


def test_nothing_given_becomes_part_of_a_script(runner: Runner, repository: Path) -> None:
    """A path may come from a pull request's own workflow: it is a word, never a command."""
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
    bad = 'k8s"; touch hacked; echo "$(touch hacked)'
    assert runner.run(path=bad).code == 2
    assert not (repository / "hacked").exists()


def test_it_is_installed_from_its_own_version(tmp_path: Path) -> None:
    """A stand-in for pip says what it would install: the action's checkout, or what is asked for."""
    shim = tmp_path / "bin"
    shim.mkdir()
    (shim / "python3").write_text(
        '#!/bin/sh\nmkdir -p "$3/bin"\n'
        'printf \'#!/bin/sh\\nprintf "%%s\\\\n" "$*" >>"%s/pip.txt"\\n\' "$RUNNER_TEMP" >"$3/bin/pip"\n'
        'chmod +x "$3/bin/pip"\n'
    )
    (shim / "python3").chmod(0o755)
    for install, wanted in (("", "/action"), ("gpuspec==1.2", "gpuspec==1.2")):
        given = {"INSTALL": install, "ACTION": "/action", "RUNNER_TEMP": str(tmp_path)}
        given["GITHUB_PATH"] = str(tmp_path / "path")
        script = ROOT / "deploy" / "github" / "install.sh"
        subprocess.run(["bash", str(script)], env=environment(shim, **given), check=True)
        assert (tmp_path / "pip.txt").read_text().splitlines()[-1].endswith(wanted)
    assert (tmp_path / "path").read_text().splitlines()[-1] == f"{tmp_path}/gpuspec/bin"
