"""A script in which the status of the work is not the script's."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuspec.lint.analysis.serving.scripts import main_words
from gpuspec.lint.analysis.serving.shell_text import Pipeline, pipelines_in, unquoted
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU987",
    "exit-status-lost",
    "warning",
    "A script hides that its run failed, so the run counts as complete",
)
_WORK = ("python", "python3", "torchrun", "accelerate", "deepspeed", "mpirun", "horovodrun", "tune")
# What stands before a program, and what asks for a status or waits in another way.
_BEFORE = 6
_ASKS = re.compile(r"PIPESTATUS|\$\?|\bwait\b")
_ENDS_AT_FAILURE = re.compile(r"\bset[ \t]+(?:-[a-z]+[ \t]+)*-[a-z]*e|\berrexit\b")
_THEN = "a run that fails counts as complete, and nothing retries it"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield scripts of containers with accelerators that run until they are done."""
    if pod.life != "finite":
        return
    for container in pod.gpu_containers:
        line = main_words(container) if container.stage == "main" else None
        at = None if line is None else line.script_at
        if line is None or at is None or at >= len(line.words):
            continue
        script = line.words[at]
        if "<<" in script or "{{" in script or "`" in script:
            continue
        plain = unquoted(script)
        pipelines = pipelines_in(plain)
        if not pipelines or _ASKS.search(plain) is not None:
            continue
        options = "".join(word for word in line.words[1:at] if re.fullmatch(r"-[a-z]+", word))
        fault = _fault(pipelines, plain, ends_at_failure="e" in options)
        if fault is not None:
            yield _finding(container, line.places[at], *fault)


def _finding(
    container: PodContainer, path: tuple[str | int, ...], message: str, note: str
) -> RawFinding:
    return RawFinding(path, message, note=note, confidence="likely")


def _fault(
    pipelines: list[Pipeline], plain: str, *, ends_at_failure: bool
) -> tuple[str, str] | None:
    """Return what takes the place of the work's status, and what to write."""
    index = next((index for index, pipeline in enumerate(pipelines) if _works(pipeline)), None)
    if index is None:
        return None
    work, later = pipelines[index], pipelines[index + 1 :]
    name = next(filter(None, map(_program, work.commands)))
    ends_at_failure = ends_at_failure or _ENDS_AT_FAILURE.search(plain) is not None
    if _program(work.commands[-1]) is None and "pipefail" not in plain:
        return (
            f"the exit status is that of `{work.commands[-1][0]}` at the pipe's end, not of `{name}`: {_THEN}",
            "write `set -o pipefail` as the first line, and run the script with `bash`",
        )
    if work.end == "||" and later and later[0].commands[0][0] in ("true", ":", "echo"):
        return (
            f"`|| {later[0].commands[0][0]}` takes the place of the exit status of `{name}`: {_THEN}",
            f"remove `|| {later[0].commands[0][0]}`",
        )
    if work.end == "&" and not later:
        return (
            f"`{name}` runs in the background and the script ends: the container ends at once, and the "
            "run with it",
            "remove the `&`, or write `wait` at the end",
        )
    if work.end == ";" and later and not ends_at_failure and not any(map(_works, later)):
        last = later[-1].commands[-1][0]
        return (
            f"the exit status is that of `{last}` at the script's end, not of `{name}`: {_THEN}",
            "write `set -e` as the first line",
        )
    return None


def _works(pipeline: Pipeline) -> bool:
    return any(_program(words) is not None for words in pipeline.commands)


def _program(words: list[str]) -> str | None:
    """Return the launcher or interpreter that a command starts with a program of its own."""
    for index, word in enumerate(words[:_BEFORE]):
        name = word.rpartition("/")[2]
        if name in _WORK:
            after = words[index + 1 : index + 2]
            return None if after == ["-c"] or name == word[:-1] else name
    return None
