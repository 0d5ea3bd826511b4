"""`gpuspec diff`, as people run it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import SPEC, Program, Terminal, environment
from tests.diff.sides import deployment, job

MORE = SPEC.replace("count: 1", "count: 2")


@pytest.fixture
def sides(folder: Path) -> Path:
    """The folder, with an old and a new Deployment, which differ in their image."""
    (folder / "old.yaml").write_text(deployment())
    (folder / "new.yaml").write_text(deployment().replace("chat:1", "chat:2"))
    return folder


WHOLE = """\
~ Deployment serving/chat  new.yaml
  · restarts the pods
  · image of main: tag 1 → 2
    container main
      image: example/chat:1 → example/chat:2

1 changed.
"""


def test_differences_exit_1(gpuspec: Program, sides: Path) -> None:
    done = gpuspec("diff", "old.yaml", "new.yaml")
    assert (done.code, done.out, done.err) == (1, WHOLE, "")


def test_no_differences_exit_0(gpuspec: Program, sides: Path) -> None:
    done = gpuspec("diff", "old.yaml", "old.yaml")
    assert (done.code, done.out, done.err) == (0, "no differences; 1 alike.\n", "")


def test_a_side_from_a_pipe(gpuspec: Program, sides: Path) -> None:
    done = gpuspec("diff", "old.yaml", "-", stdin=(sides / "new.yaml").read_text())
    assert (done.code, done.out) == (1, WHOLE.replace("new.yaml", "<stdin>"))


@pytest.mark.parametrize(
    ("old", "new", "codes"),
    [
        # Exit codes of --fail-on any, restart, breaking.
        (deployment(), deployment(spec=", replicas: 2"), (1, 0, 0)),
        (deployment(), deployment(", args: [a]"), (1, 1, 0)),
        (job("train-1"), job("train-2", "x:2"), (1, 1, 0)),
        (job("train-1"), job("train-1", "x:2"), (1, 1, 1)),
        (deployment(), deployment(), (0, 0, 0)),
    ],
)
def test_what_fails(
    gpuspec: Program, folder: Path, old: str, new: str, codes: tuple[int, ...]
) -> None:
    (folder / "old.yaml").write_text(old)
    (folder / "new.yaml").write_text(new)
    levels = ("any", "restart", "breaking")
    assert codes == tuple(
        gpuspec("diff", "old.yaml", "new.yaml", "--fail-on", level).code for level in levels
    )


def test_specs_on_profiles(gpuspec: Program, folder: Path) -> None:
    (folder / "more.yaml").write_text(MORE)
    done = gpuspec("diff", "train.yaml", "more.yaml", "-c", "clusters/eu.yaml")
    assert done.code == 1
    lines = done.out.splitlines()
    assert lines[:2] == ["~ Training ml/train  more.yaml", "    spec.gpu.count: 1 → 2"]
    assert (
        "  ! the API server refuses the apply: spec.template cannot change; write another `run` in the spec"
        in done.out
    )
    assert "Total: GPUs 1 → 2 (+1)" in done.out
    two = ("-c", "clusters/eu.yaml", "-c", "clusters/us.yaml")
    assert gpuspec("diff", "train.yaml", "train.yaml", *two).code == 1


def test_git_revisions(gpuspec: Program, sides: Path) -> None:
    for words in (
        ("init", "-q", "-b", "main"),
        ("add", "old.yaml"),
        ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "one"),
    ):
        subprocess.run(["git", *words], cwd=sides, check=True, env=environment())
    done = gpuspec("diff", "main:old.yaml", "new.yaml")
    assert (done.code, done.out) == (1, WHOLE)
    done = gpuspec("diff", "mian:old.yaml", "new.yaml")
    assert (done.code, done.out) == (2, "")
    assert "git does not know the revision `mian`\n  did you mean `main`?" in done.err
    done = gpuspec("diff", "main", "new.yaml")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "error: main: no such file or folder\n"
        "  Git has a revision of this name: write `main:` or `main:FOLDER`\n"
    )


def test_every_format(gpuspec: Program, sides: Path) -> None:
    args = ("diff", "old.yaml", "new.yaml", "--format")
    assert json.loads(gpuspec(*args, "json").out)["level"] == "restart"
    done = gpuspec(*args, "markdown")
    assert done.out.startswith("**gpuspec diff**: 1 changed\n")
    written = gpuspec(*args, "markdown", "-o", "comment.md")
    assert (written.code, written.out, written.err) == (1, "", "")
    assert (sides / "comment.md").read_text() == done.out
    failed = gpuspec(*args, "markdown", "-o", "missing/comment.md")
    assert failed.code == 2
    assert "missing/comment.md: No such file or directory" in failed.err


def test_two_runs_make_the_same_bytes(gpuspec: Program, sides: Path) -> None:
    """C-60: what is reviewed does not change by itself."""
    args = ("diff", "old.yaml", "new.yaml", "--format", "json")
    first, second = (gpuspec(*args, env={"PYTHONHASHSEED": seed}).out for seed in "12")
    assert first == second


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("old.yml", "new.yaml"), "old.yml: no such file or folder\n  did you mean `old.yaml`?"),
        (("-", "-"), "both inputs are standard input, which can be read only once"),
        (("old.yaml",), "NEW"),
        (("old.yaml", "new.yaml", "-c", "a", "-c", "b", "-c", "c"), "-c: 3 profiles"),
        (("old.yaml", "new.yaml", "-c", "clusters"), "clusters: 2 profiles (eu, us)"),
        (("old.yaml", "new.yaml", "-c", "ekss"), "did you mean `eks`?"),
        (("old.yaml", "new.yaml", "--fail-on", "danger"), "breaking"),
        (("old.yaml", "new.yaml", "--format", "mardown"), "markdown"),
        (("big.yaml", "big.yaml"), "nothing to compare in big.yaml and big.yaml"),
        (("main:old.yaml", "new.yaml"), "no git repository here"),
    ],
)
def test_bad_input_is_answered(
    gpuspec: Program, sides: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = gpuspec("diff", *arguments, env={"GIT_CEILING_DIRECTORIES": str(sides.parent)})
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_a_terminal_of_80_columns(terminal: Terminal, sides: Path) -> None:
    shown = terminal("diff", "old.yaml", "new.yaml", NO_COLOR="1")
    assert shown == WHOLE
    (sides / "new.yaml").write_text(job("a-job-of-quite-some-length"))
    (sides / "old.yaml").write_text(job("a-job-of-quite-some-length", "example/train:2"))
    shown = terminal("diff", "old.yaml", "new.yaml", NO_COLOR="1")
    assert max(map(len, shown.splitlines())) <= 80
    assert "\x1b[" in terminal("diff", "old.yaml", "new.yaml")


def test_the_help_shows_revisions(gpuspec: Program) -> None:
    text = gpuspec("diff", "--help").out
    assert "gpuspec diff main:k8s k8s" in text
    assert "diff" in gpuspec("--help").out


def test_sums_of_two_resources_of_one_word_are_told_apart(gpuspec: Program, folder: Path) -> None:
    text = "---\n".join(
        deployment(f", resources: {{limits: {{{name}: COUNT}}}}", name=name[:3])
        for name in ("nvidia.com/gpu", "amd.com/gpu")
    )
    (folder / "old.yaml").write_text(text.replace("COUNT", "1"))
    (folder / "new.yaml").write_text(text.replace("COUNT", "2"))
    out = gpuspec("diff", "old.yaml", "new.yaml").out
    total = "GPUs (amd.com/gpu) 1 → 2 (+1), GPUs (nvidia.com/gpu) 1 → 2 (+1)"
    assert f"Total: {total}\n" in out


def test_amounts_are_those_that_the_scheduler_counts(gpuspec: Program, folder: Path) -> None:
    def side(name: str, request: int, limit: int) -> None:
        amounts = f"{{requests: {{cpu: {request}}}, limits: {{cpu: {limit}}}}}"
        (folder / name).write_text(deployment(f", resources: {amounts}"))

    side("old.yaml", 2, 8)
    side("more.yaml", 3, 8)
    side("wide.yaml", 2, 16)
    assert "  · CPU 2 → 3 a replica" in gpuspec("diff", "old.yaml", "more.yaml").out
    assert "a replica" not in gpuspec("diff", "old.yaml", "wide.yaml").out
    rows = [
        gpuspec("table", name).out.splitlines()[1].split() for name in ("old.yaml", "wide.yaml")
    ]
    assert rows[0] == rows[1]
