"""The GitLab template: its scripts run as a runner's shell runs them (C-60)."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

from tests.hosts.ci.conftest import environment, git, write

TEMPLATE = Path(__file__).parents[3] / "deploy" / "gitlab" / "gpuspec.yml"
HEAD, BODY = TEMPLATE.read_text().split("\n---\n")


def jobs(**inputs: str) -> dict[str, Any]:
    """The jobs with inputs filled in, as GitLab does before it reads them."""
    import yaml

    known = {
        name: given["default"] for name, given in yaml.safe_load(HEAD)["spec"]["inputs"].items()
    }
    assert inputs.keys() <= known.keys()
    known |= inputs
    text = re.sub(r"\$\[\[ inputs\.([\w-]+) \]\]", lambda found: json.dumps(known[found[1]]), BODY)
    found: dict[str, Any] = yaml.safe_load(text)
    return found


def run(
    job: str, repository: Path, programs: Path, **inputs: str
) -> subprocess.CompletedProcess[str]:
    """The job's own script; what comes before it installs gpuspec, which is there already."""
    made = jobs(**inputs)
    variables = {name: str(value) for name, value in made[".gpuspec"]["variables"].items()}
    variables["CI_MERGE_REQUEST_DIFF_BASE_SHA"] = git(repository, "rev-parse", "main")
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", "\n".join(made[job]["script"])],
        cwd=repository,
        env=environment(programs, **variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def test_findings_become_a_code_quality_report(repository: Path, programs: Path) -> None:
    write(repository, "0.5")
    done = run("gpuspec-lint", repository, programs, path="k8s")
    assert done.returncode == 1
    artifact = jobs()["gpuspec-lint"]["artifacts"]["reports"]["codequality"]
    report = json.loads((repository / artifact).read_text())
    assert {one["location"]["path"] for one in report} == {"k8s/chat.yaml"}
    assert {"fingerprint", "severity", "description"} <= report[0].keys()


def test_a_merge_request_is_told_what_it_changes(repository: Path, programs: Path) -> None:
    git(repository, "switch", "--quiet", "-c", "change")
    write(repository, 4)
    done = run("gpuspec-diff", repository, programs, path="k8s")
    assert done.returncode == 0, done.stdout
    (artifact,) = jobs()["gpuspec-diff"]["artifacts"]["paths"]
    assert "1 → 4" in (repository / artifact).read_text()
    assert "1 → 4" in done.stdout


def test_wrong_input_fails_both_jobs(repository: Path, programs: Path) -> None:
    for job in ("gpuspec-lint", "gpuspec-diff"):
        assert run(job, repository, programs, path="k8z").returncode != 0
        assert run(job, repository, programs, profile="nowhere").returncode != 0


def test_inputs_are_words_of_the_scripts_and_no_commands(repository: Path, programs: Path) -> None:
    for job in ("gpuspec-lint", "gpuspec-diff"):
        assert "$[[" not in "".join(jobs()[job]["script"])
        run(job, repository, programs, path='"; touch hacked; "', profile="$(touch hacked)")
    assert not (repository / "hacked").exists()
