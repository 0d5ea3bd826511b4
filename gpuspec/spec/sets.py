"""`--set NAME:path=value`: one field of one workload, set before it is parsed and checked."""

import re
from dataclasses import dataclass

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
from gpuspec.spec.text import Text

FORM = "write NAME:path=value, such as chat:replicas=3 or chat:gpu.count=4"
_SPLIT = re.compile(r"^(?P<name>[^:=]+):(?P<path>[^=]+)=(?P<value>.*)$", re.DOTALL)
ROOTS = ("spec", "metadata")


@dataclass(frozen=True, slots=True)
class Setting:
    """One `--set`, understood."""

    text: str
    name: str
    path: Path
    value: object


class SetDocument:
    """A document some of whose fields come from the command line, and whose places say so."""

    __slots__ = ("_document", "_set", "value")

    def __init__(self, document: Document, settings: list[Setting]) -> None:
        self.value = document.value
        self._document = document
        self._set = settings

    def place(self, path: Path, *, key: bool = False) -> Place:
        """The `--set` that gave the path, else where it is written."""
        for setting in reversed(self._set):
            if path[: len(setting.path)] == setting.path:
                return Place(f"--set {setting.text}", 1, 1)
        return self._document.place(path, key=key)


def parse_settings(texts: tuple[str, ...]) -> list[Setting]:
    """Understand the `--set` options. Raises `InputError` with all that cannot be."""
    found: list[Setting] = []
    problems: list[Problem] = []
    for text in texts:
        match = _SPLIT.match(text)
        if match is None:
            problems.append(Problem(f"--set {text}: not understood", hint=FORM))
            continue
        try:
            path = parse_path(match["path"])
        except ValueError as error:
            problems.append(Problem(f"--set {text}: {error}", hint=FORM))
            continue
        if path and path[0] not in ROOTS:
            path = ("spec", *path)
        found.append(Setting(text, match["name"], path, _value(match["value"], text, problems)))
    if problems:
        raise InputError(problems)
    return found


def apply_settings(documents: list[Document], settings: list[Setting]) -> list[Text]:
    """The documents with their fields set. Raises `InputError` for names that no workload has."""
    if not settings:
        return list(documents)
    names = {_name(document) for document in documents}
    missing = [s for s in settings if s.name not in names]
    if missing:
        known = ", ".join(sorted(filter(None, names))) or "none"
        raise InputError(
            Problem(f"--set {s.text}: no workload `{s.name}`", hint=f"workloads here: {known}")
            for s in missing
        )
    out: list[Text] = []
    for document in documents:
        mine = [setting for setting in settings if setting.name == _name(document)]
        for setting in mine:
            _put(document.value, setting)
        out.append(SetDocument(document, mine) if mine else document)
    return out


def _name(document: Document) -> str | None:
    value = document.value
    metadata = value.get("metadata") if isinstance(value, dict) else None
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) else None


def _value(text: str, whole: str, problems: list[Problem]) -> object:
    """A value as YAML reads it; an empty one is the empty text."""
    try:
        documents = read(text, f"--set {whole}")
    except InputError as error:
        problems += [Problem(f"--set {whole}: {p.message}", hint=FORM) for p in error.problems]
        return None
    return documents[0].value if documents else ""


def _put(root: object, setting: Setting) -> None:
    at = root
    for index, step in enumerate(setting.path):
        last = index == len(setting.path) - 1
        if isinstance(at, dict) and isinstance(step, str):
            if last:
                at[step] = setting.value
                return
            at = at.setdefault(step, {})
        elif isinstance(at, list) and isinstance(step, int) and 0 <= step < len(at):
            if last:
                at[step] = setting.value
                return
            at = at[step]
        else:
            where = format_path(setting.path[:index])
            raise InputError(
                [Problem(f"--set {setting.text}: `{where}` has no `{step}`", hint=FORM)]
            )
