"""A shell's script that the shell reads otherwise than it is meant."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gpuspec.lint.analysis.serving.scripts import WordList, handler_words, main_words
from gpuspec.lint.analysis.serving.shell_text import commands_in, is_closed, unquoted
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod
from gpuspec.runtimes.published import has_dash

RULE = Rule(
    "GPU986",
    "script-misread",
    "warning",
    "A shell reads a script in another way than its line ends and quotes suggest",
)

# A backslash in front of a blank makes the blank a part of the next argument.
_BLANK = re.compile(r"(?:^|[ \t])\\[ \t]+(?P<end>\n|\Z)?", re.MULTILINE)
# Comments behind a continued line, with more of the command behind them.
_COMMENT = re.compile(r"\\\n(?:[ \t]*#[^\n]*\n)+(?:[ \t]+\S|-)")
_OPTION_LINE = re.compile(r"^[ \t]*(--[a-z][a-z0-9_-]+)(?:[ \t=][^\n]*)?$", re.MULTILINE)
# What bash knows and dash does not, and what dash makes of it.
_OF_BASH = (
    (re.compile(r"(?:^|[;&|(\n{]|\b(?:then|do|else)\b)[ \t]*(source)[ \t]+\S"), "`source` is not found"),
    (re.compile(r"(?:^|[;&|(\n{!]|\b(?:if|while|until|then|do|else)\b)[ \t]*(\[\[)[ \t]"), "`[[` is not found"),
    (re.compile(r"\bset[ \t]+(?:-[a-z]+[ \t]+)*-[a-z]*(o[ \t]+pipefail)\b"), "`set -o pipefail` ends the script"),
    (re.compile(r"(?:^|[;&\n])[ \t]*[A-Za-z_]\w*(=\()"), "the array is a syntax error"),
)  # fmt: skip
_ACTIVATES = re.compile(r"(?:^|[;&|(\n{])[ \t]*(conda activate)\b")
# What makes `conda activate` a function of the shell.
_HOOKS = (
    "conda.sh",
    "shell.bash",
    "shell.posix",
    "shell hook",
    ".bashrc",
    ".profile",
    "bin/activate",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield the first fault of each script of a container, its probes and its hooks. Text that
    templates fill in is passed over."""
    for container in pod.every:
        lines = [line for _, line in handler_words(container)]
        if (main := main_words(container)) is not None:
            lines.insert(0, main)
        for line in lines:
            at = line.script_at
            if at is None or at >= len(line.words) or "{{" in line.words[at]:
                continue
            finding = _fault(container, line, at)
            if finding is not None:
                yield finding


def _fault(container: PodContainer, line: WordList, at: int) -> RawFinding | None:
    script, path = line.words[at], line.places[at]
    if "<<" in script:
        # What stands in a here-document is another program's text.
        return None
    if not is_closed(script):
        return RawFinding(
            path,
            "a quote of the script is never closed: the shell ends with a syntax error, and nothing runs",
            note="add the closing quote, or write `'\\''` for an apostrophe between single quotes",
            confidence="likely",
        )
    plain = unquoted(script)
    if (blank := _BLANK.search(plain)) is not None:
        return _of_blank(path, ends_line=blank["end"] is not None)
    if _COMMENT.search(plain) is not None:
        return RawFinding(
            path,
            "a comment stands between the lines of one command: the command ends there, and the shell "
            "runs what follows as another command",
            note="move the comment above the command",
        )
    joined = plain.replace("\\\n", "  ")
    option = _OPTION_LINE.search(joined)
    if option is not None and _is_command(joined[: option.start()]):
        return RawFinding(
            path,
            f"`{option[1]}` begins a line of its own: the shell runs it as a command, since the line "
            "above does not end in a backslash",
            note="add ` \\` at the end of the line above",
            confidence="likely",
        )
    return _of_dash(container, line, plain, at) or _of_conda(container, line, plain, at)


def _is_command(before: str) -> bool:
    """Return whether a new command begins behind this text, which is no list in parentheses."""
    return bool(before.strip()) and before.count("(") <= before.count(")")


def _of_blank(path: tuple[str | int, ...], *, ends_line: bool) -> RawFinding:
    if ends_line:
        return RawFinding(
            path,
            "a blank follows the backslash at the end of a line: the command ends there, and the shell "
            "runs the next line as another command",
            note="remove the blank after the backslash",
            confidence="likely",
        )
    return RawFinding(
        path,
        "a backslash stands before a blank: the next argument begins with a blank, and the program does "
        "not know it",
        note="remove the backslashes, or keep the lines apart by `|` in place of `>`, which joins them",
        confidence="likely",
    )


def _of_dash(container: PodContainer, line: WordList, plain: str, at: int) -> RawFinding | None:
    """Return what only bash understands, in a script for the `sh` of an image that has dash."""
    if line.words[0].rpartition("/")[2] not in ("sh", "dash") or not has_dash(container.image):
        return None
    failure = next((then for pattern, then in _OF_BASH if pattern.search(plain)), None)
    if failure is None:
        return None
    return RawFinding(
        line.places[0],
        f"`sh` of this image is dash, and the script is written for bash: {failure}",
        note="write `bash` in place of `sh`",
        confidence="likely",
    )


def _of_conda(container: PodContainer, line: WordList, plain: str, at: int) -> RawFinding | None:
    """Return `conda activate` in a shell that has not read conda's functions."""
    options = [word for word in line.words[1:at] if not word.startswith("--")]
    reads_profile = any("l" in word or "i" in word for word in options) or "--login" in line.words
    if reads_profile or "BASH_ENV" in container.env or container.value.get("envFrom"):
        return None
    if _ACTIVATES.search(plain) is None or any(hook in line.words[at] for hook in _HOOKS):
        return None
    if any(words[0] in ("source", ".", "eval") for words in commands_in(plain)):
        return None
    return RawFinding(
        line.places[at],
        "`conda activate` is unknown to a shell that is not interactive: it fails with `Run 'conda init' "
        "before 'conda activate'`, and the environment stays the base",
        note="write `conda run -n NAME PROGRAM`, or first `source` conda's `etc/profile.d/conda.sh`",
        confidence="likely",
    )
