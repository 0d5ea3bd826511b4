"""`--set NAME:path=value`: sets one field of a workload before it is parsed and checked."""

import re
from typing import Any, NamedTuple

from gpuspec.escaping.meant import did_you_mean
from gpuspec.manifests import (
    Document,
    InputError,
    Path,
    Place,
    Problem,
    format_path,
    parse_path,
    read,
)
from gpuspec.spec.quoting import shown
from gpuspec.spec.text import SpecText

FORM = "write NAME:path=value, such as chat:replicas=3 or chat:gpu.count=4"
ROOTS = ("spec", "metadata")
_NAME = re.compile(r"([^:=]+):(.*)", re.DOTALL)


class SetOption(NamedTuple):
    """One parsed `--set`."""

    place: Place
    name: str
    path: Path
    value: object


class OptionPlace(Place, frozen=True):
    """A place on the command line, without lines."""

    def __str__(self) -> str:
        return self.file


class SetDocument:
    """A document with some fields from the command line, which have places there."""

    __slots__ = ("_document", "_set", "value")

    def __init__(self, document: Document, settings: list[SetOption]) -> None:
        self.value = document.value
        self._document = document
        self._set = settings

    def place(self, path: Path, *, key: bool = False) -> Place:
        """Return the `--set` that set the path, or else its place in the file."""
        for setting in reversed(self._set):
            if path[: len(setting.path)] == setting.path:
                return setting.place
        return self._document.place(path, key=key)


def parse_settings(texts: tuple[str, ...], option: str) -> list[SetOption]:
    """Parse the settings, given with this option. Raises `InputError` with all invalid ones."""
    set_options: list[SetOption] = []
    problems: list[Problem] = []
    for text in texts:
        try:
            set_options.append(_setting(text, _place(option, text)))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return set_options


def apply_settings(documents: list[Document], settings: list[SetOption]) -> list[SpecText]:
    """Return the documents with their fields set.

    A name that several workloads have (in different namespaces) means all of them. Raises
    `InputError` for unknown names and impossible paths.
    """
    if not settings:
        return list(documents)
    names = [name for document in documents if (name := _name(document)) is not None]
    problems = [problem for s in settings if (problem := _name_problem(s, names))]
    out: list[SpecText] = []
    for document in documents:
        mine = [setting for setting in settings if setting.name == _name(document)]
        reasons = [(setting.place, _put(document.value, setting)) for setting in mine]
        problems += [Problem(reason, place, FORM) for place, reason in reasons if reason]
        out.append(SetDocument(document, mine) if mine else document)
    if problems:
        raise InputError(problems)
    return out


def _place(option: str, text: str) -> Place:
    return OptionPlace(f"{option} " + shown(text)[1:-1].replace('\\"', '"'), 1, 1)


def _setting(text: str, place: Place) -> SetOption:
    """Parse one option. The path ends at the first `=` outside quotes."""
    match = _NAME.fullmatch(text)
    path_text, equals, value = _split(match[2]) if match else ("", "", "")
    if match is None or not equals or not path_text:
        raise InputError([Problem("not understood", place, FORM)])
    try:
        path = parse_path(path_text)
    except ValueError as error:
        raise InputError([Problem(str(error), place, FORM)]) from None
    if path[0] not in ROOTS:
        path = ("spec", *path)
    if path[0] == "metadata" and path[1:] == ("name",):
        message = "workloads are found by name, which cannot be set"
        raise InputError([Problem(message, place, "change the name in its file")])
    return SetOption(place, match[1], path, _value(place, value))


def _split(text: str) -> tuple[str, str, str]:
    quoted = False
    for at, letter in enumerate(text):
        if letter == '"':
            quoted = not quoted
        elif letter == "=" and not quoted:
            return text[:at], "=", text[at + 1 :]
    return text, "", ""


def _value(place: Place, value_text: str) -> object:
    """Return a value as YAML reads it; an empty one is the empty string."""
    try:
        documents = read(value_text, "--set")
    except InputError as error:
        raise InputError(
            Problem(problem.message, place, problem.hint or FORM) for problem in error.problems
        ) from None
    if len(documents) > 1:
        raise InputError([Problem("a value is a single YAML document", place, FORM)])
    if documents:
        return documents[0].value
    if value_text.strip():
        # What reads as null or as a comment, and would delete or forget what was meant.
        raise InputError(
            [Problem(f"{shown(value_text)} is not a value", place, "put it in quotes")]
        )
    return ""


def _name(document: Document) -> str | None:
    value = document.value
    metadata = value.get("metadata") if isinstance(value, dict) else None
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) else None


def _name_problem(setting: SetOption, names: list[str]) -> Problem | None:
    if setting.name in names:
        return None
    existing_workloads = f"existing workloads: {', '.join(sorted(names)) or 'none'}"
    message = f"no workload {shown(setting.name)}"
    return Problem(
        message, setting.place, did_you_mean(setting.name, names, 0.75) or existing_workloads
    )


def _put(root: object, setting: SetOption) -> str | None:
    """Set the value, and add missing parents.

    Returns the reason if that is impossible.
    """
    at: Any = root
    *above, last = setting.path
    for index, step in enumerate((*above, last)):
        if not _has_room(at, step):
            where = format_path(setting.path[:index]) or "the document"
            return f"`{where}` {_what(at)}, so it has no {_step(step)}"
        if index == len(above):
            at[step] = setting.value
        elif isinstance(at, dict):
            at = at.setdefault(str(step), {})
        else:
            at = at[step]
    return None


def _has_room(at: object, step: str | int) -> bool:
    if isinstance(step, int):
        return isinstance(at, list) and step < len(at)
    return isinstance(at, dict)


def _what(at: object) -> str:
    if isinstance(at, list):
        count = len(at)
        return f"is a list of {count} item{'' if count == 1 else 's'}"
    return f"is {shown(at)}"


def _step(step: str | int) -> str:
    return f"item [{step}]" if isinstance(step, int) else f"field `{step}`"
