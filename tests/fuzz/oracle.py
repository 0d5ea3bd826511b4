"""What must hold of any try, whatever it was given."""

import csv
import io
import json
import os
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import yaml

from tests.fuzz.seeds import ROOT
from tests.fuzz.tries import Try
from tests.fuzz.world import Outcome

CODES = (0, 1, 2, 3)
# The checkout's own folder may be called so too.
_FRAME = re.compile(rf'File "{re.escape(str(ROOT))}/(gpuspec/[^"]+)", line \d+, in (\S+)')
_STYLE = re.compile(r"\x1b\[[0-9;]*m")
# Controls but for the end of a line and tabs, and what turns the direction of text around.
_RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
_COMMAND = re.compile(r"^\s*(::|##\[|##vso\[|##teamcity\[)", re.MULTILINE)
_GITHUB = re.compile(r"::(error|warning|notice) [^\n]*")
_FORMULA = re.compile(r"^[=+@\t\r]|^-(?!\d+(\.\d+)?$)")


@dataclass(frozen=True)
class Fault:
    """What does not hold. Faults of one kind are one, however often they are met."""

    kind: str
    detail: str = ""


def judge(one: Try, outcome: Outcome) -> list[Fault]:
    """All that does not hold of a try."""
    return [*_ended(outcome), *_said(one, outcome), *_left(one, outcome)]


_NO_MEMORY = "not enough memory for this input"


def _ended(outcome: Outcome) -> Iterator[Fault]:
    err = outcome.err.decode(errors="replace")
    if outcome.raised:
        yield Fault(where(outcome.raised), outcome.raised)
    elif outcome.code not in CODES:
        yield Fault(f"exit {outcome.code}: {where(err)}", err)
    elif "Traceback (most recent call last)" in err:
        yield Fault(f"traceback: {where(err)}", err)
    elif _NO_MEMORY in err:
        # No input of these is large enough for that.
        yield Fault("takes more memory than a try may", err)


def where(trace: str) -> str:
    """The kind of an exception, and the innermost place of ours that it went through."""
    frames = _FRAME.findall(trace)
    last = [
        line
        for line in trace.strip().splitlines()
        if re.match(r"[\w.]+(Error|Exception|TooLong|Exit|Interrupt)\b|[\w.]*TooLong", line)
    ]
    name = last[-1].partition(":")[0].rpartition(".")[2] if last else "?"
    # Endless recursion is cut off anywhere: the frame that comes most often tells it.
    if name == "RecursionError" and frames:
        ours = max(dict.fromkeys(frames), key=frames.count)
    else:
        ours = frames[-1] if frames else ("?", "?")
    return f"{name} in {ours[0]} {ours[1]}"


def _said(one: Try, outcome: Outcome) -> Iterator[Fault]:
    if outcome.raised or outcome.code not in CODES:
        return
    # Fixes of standard input are printed as its text.
    printed = "passed" if _fixes(one) and "-" in one.words else one.format
    for stream, data, format in (
        ("stdout", outcome.out, printed),
        ("stderr", outcome.err, "text"),
    ):
        if one.terminal:
            data = _STYLE.sub("", data.decode(errors="surrogateescape")).encode(
                errors="surrogateescape"
            )
        for what in reasons(data, format, outcome.code) if data or "-o" not in one.words else ():
            yield Fault(f"{one.target.name}: {stream} as {format}: {what}", repr(data[:2000]))
    for name in one.outputs:
        written = outcome.changed.get(name)
        if written is not None:
            format = "json" if name.endswith(".json") else one.format
            for what in reasons(written, format, outcome.code):
                yield Fault(f"{one.target.name}: -o as {format}: {what}", repr(written[:2000]))


def reasons(data: bytes, format: str, code: int | None = 0) -> Iterator[str]:
    """What is wrong with an output of a format."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        if format not in ("passed", "patch"):
            yield f"no UTF-8: {error.reason}"
        return
    # Who is refused, and who asks for nothing, gets nothing.
    if text or code not in (1, 2, 3):
        yield from FORMATS[format](text)


def _plain(text: str) -> Iterator[str]:
    if found := _RAW.search(text):
        yield f"a raw U+{ord(found[0]):04X}"
    if found := _COMMAND.search(text):
        yield f"a command of CI, {found[1]}"


def _github(text: str) -> Iterator[str]:
    others = [line for line in text.split("\n") if line and not _GITHUB.fullmatch(line)]
    if others:
        yield "a line that is no annotation"
    yield from (what for what in _plain("\n".join(others)) if others)
    if found := _RAW.search(text):
        yield f"a raw U+{ord(found[0]):04X}"


def _json(text: str) -> Iterator[str]:
    try:
        json.loads(text)
    except ValueError as error:
        yield f"no JSON: {re.sub(r'[0-9]+', 'N', str(error))}"
    except RecursionError:
        yield "JSON too deep to read"


def _yaml(text: str) -> Iterator[str]:
    try:
        for _ in yaml.parse(text, Loader=yaml.CSafeLoader):
            pass
    except yaml.YAMLError as error:
        yield f"no YAML: {getattr(error, 'problem', error)}"


def _xml(text: str) -> Iterator[str]:
    try:
        ET.fromstring(text)
    except ET.ParseError as error:
        yield f"no XML: {re.sub(r'[0-9]+', 'N', str(error))}"
    yield from _plain(text)


def _html(text: str) -> Iterator[str]:
    yield from _plain(text)
    if re.search(r"<script>x|(?:href|src)=.?javascript:x|<b>&amp;", text):
        yield "markup from outside"


def _csv(text: str) -> Iterator[str]:
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    if len({len(row) for row in rows}) > 1:
        yield "rows of several lengths"
    if any(_FORMULA.search(cell) for row in rows for cell in row):
        yield "a cell that is a formula"
    if any(_RAW.search(cell) for row in rows for cell in row):
        yield "a raw control character"


def _nothing(text: str) -> Iterator[str]:
    yield from ()


FORMATS: dict[str, Callable[[str], Iterator[str]]] = {
    "text": _plain,
    "full": _plain,
    "concise": _plain,
    "markdown": _plain,
    "github": _github,
    "json": _json,
    "sarif": _json,
    "gitlab": _json,
    "junit": _xml,
    "svg": _xml,
    "html": _html,
    "csv": _csv,
    "yaml": _yaml,
    # Texts of the user's go through these byte by byte.
    "patch": _nothing,
    "passed": _nothing,
}


def _left(one: Try, outcome: Outcome) -> Iterator[Fault]:
    """What was written, and is not what was asked for."""
    for what in dict.fromkeys(outcome.touched):
        yield Fault(f"{one.target.name}: outside of its folder: {what.partition(' ')[0]}", what)
    places = [*_outputs(one)]
    fixes = _fixes(one)
    for path, data in outcome.changed.items():
        if any(path == each or path.startswith(f"{each}/") or each == "." for each in places):
            continue
        if path in one.files and fixes and data is not None:
            continue
        if "__pycache__" in path:
            continue
        kind = "gone" if data is None else "changed" if path in one.files else "new"
        yield Fault(f"{one.target.name}: a file is {kind}", path)


def _fixes(one: Try) -> bool:
    """Whether a try lets the linter change files."""
    return one.target.command[-1:] == ("--fix",)


def _outputs(one: Try) -> Iterator[str]:
    """The files and folders that a try may write."""
    yield from one.outputs
    for option, name in zip(one.words, one.words[1:], strict=False):
        if option == "-o":
            # What a placeholder stands for is a word from outside as well, but never several steps.
            yield os.path.normpath(name.partition("{")[0] or ".")
            yield os.path.normpath(name)
