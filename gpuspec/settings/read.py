"""From a configuration's text to its settings, with every problem at its line."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, get_args, get_origin, get_type_hints

import msgspec

from gpuspec.manifests import InputError, Place, Problem, Quantity
from gpuspec.numbers import of_digits
from gpuspec.settings.config import Config, PathSettings
from gpuspec.settings.severity import Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gpuspec.manifests import Path

    Wrong = tuple[str, Path, str | None, bool]
    """The message, the path, the hint, and whether it is about the key at the path."""


class Rules(Protocol):
    """The names of rules."""

    def understood(self, words: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the codes of words, and the unknown words."""
        ...

    def unknown(self, word: str) -> tuple[str, str]:
        """Return the message and the hint for an unknown word."""
        ...


_TYPES = {
    "array": "a list",
    "bool": "true or false",
    "float": "a number",
    "int": "a number",
    "null": "nothing",
    "object": "a map",
    "str": "a text",
}
_WHERE = re.compile(r" - at `([^`]*)`$")
_INDEX = re.compile(r"\[([0-9]+)\]")
_KIND = re.compile(r"(?:[a-z0-9.-]+/)?[A-Z][A-Za-z0-9]*")


def config_of(value: object, place: Callable[[Path, bool], Place], rules: Rules) -> Config:
    """Return the settings of a mapping.

    `place` returns where a path is written; with True, where its key is. `rules` resolves the names
    of rules. Raises `InputError` with every problem.
    """
    problems = [
        Problem(message, place(path, key), hint)
        for message, path, hint, key in _problems(value, rules)
    ]
    if problems:
        raise InputError(problems)
    return _by_code(msgspec.convert(value, Config), rules)


def _problems(value: object, rules: Rules) -> Iterator[Wrong]:
    if not isinstance(value, dict):
        yield f"a configuration is a mapping of settings, not {_shown(value)}", (), None, False
        return
    yield from _fields(value, Config, ())
    yield from _rules(value, (), rules)
    per_path = value.get("per-path")
    for glob, settings in per_path.items() if isinstance(per_path, dict) else ():
        path = ("per-path", glob)
        if isinstance(settings, dict):
            yield from _fields(settings, PathSettings, path)
            yield from _rules(settings, path, rules)
        else:
            hint = "write the settings for the pattern: select, ignore, severities"
            yield f"{_shown(settings)} is not a mapping of settings", path, hint, False
    yield from _meanings(value)


def _fields(value: dict[str, Any], model: type[msgspec.Struct], path: Path) -> Iterator[Wrong]:
    """Yield unknown settings, and settings of a wrong type."""
    types = _types(model)
    for name, inner in value.items():
        if name not in types:
            hint = _meant(name, types) or f"the settings are: {', '.join(types)}"
            yield f"unknown setting `{name}`", (*path, name), hint, True
        elif isinstance(inner, dict) and get_origin(types[name]) is dict:
            kind = get_args(types[name])[1]
            # The settings of a path are looked into by themselves.
            each = inner if kind is not PathSettings else {}
            for key, item in each.items():
                yield from _type(name, item, kind, (*path, name, key))
        else:
            yield from _type(name, inner, types[name], (*path, name))


def _type(name: str, value: object, kind: Any, path: Path) -> Iterator[Wrong]:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        where = _WHERE.search(str(error))
        steps = tuple(map(of_digits, _INDEX.findall(where[1]))) if where else ()
        message = _plain(_WHERE.sub("", str(error)))
        hint = "write error, warning or info" if kind is Severity else None
        yield f"`{name}`: {message[:1].lower()}{message[1:]}", (*path, *steps), hint, False


def _plain(message: str) -> str:
    """Return a message of msgspec in the words of YAML."""
    message = re.sub(r"^Invalid enum value ('.*')$", r"\1 is none of its values", message)
    for word, plain in _TYPES.items():
        message = message.replace(f"`{word}`", plain)
    return message.replace(", got ", ", not ")


def _rules(value: dict[str, Any], path: Path, rules: Rules) -> Iterator[Wrong]:
    """Yield unknown words for rules."""
    for field in ("select", "ignore", "severities"):
        words = value.get(field)
        if not isinstance(words, list | dict):
            continue
        for index, word in enumerate(words):
            if isinstance(word, str) and rules.understood([word])[1]:
                message, hint = rules.unknown(word)
                is_key = isinstance(words, dict)
                yield message, (*path, field, word if is_key else index), hint, is_key


def _meanings(value: dict[str, Any]) -> Iterator[Wrong]:
    """Yield texts of the wrong form."""
    models, kinds = value.get("models"), value.get("pod-paths")
    for name, size in models.items() if isinstance(models, dict) else ():
        try:
            Quantity.parse(size)
        except (ValueError, TypeError):
            hint = "write the size of its weights: 140Gi"
            yield f"{_shown(size)} is not a quantity", ("models", name), hint, False
    for name in kinds if isinstance(kinds, dict) else ():
        if not _KIND.fullmatch(name):
            hint = "write its API group and kind: example.com/TrainingRun"
            yield f"{_shown(name)} is not a kind", ("pod-paths", name), hint, True


def _by_code(config: Config, rules: Rules) -> Config:
    """Return the settings with every rule by its code."""
    return msgspec.structs.replace(
        config,
        **_coded(config, rules),
        per_path={
            glob: msgspec.structs.replace(settings, **_coded(settings, rules))
            for glob, settings in config.per_path.items()
        },
    )


def _coded(settings: Config | PathSettings, rules: Rules) -> dict[str, Any]:
    severities = settings.severities
    return {
        "select": rules.understood(settings.select)[0],
        "ignore": rules.understood(settings.ignore)[0],
        "severities": {rules.understood([word])[0][0]: severities[word] for word in severities},
    }


# A configuration that is right is read without the room of specs.
def _shown(value: object) -> str:
    from gpuspec.spec.quoting import shown

    return shown(value)


def _meant(name: str, known: Iterable[str]) -> str | None:
    from gpuspec.escaping.meant import did_you_mean

    return did_you_mean(name, known)


@cache
def _types(model: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the types of the settings, by their written names."""
    hints = get_type_hints(model)
    return {field.encode_name: hints[field.name] for field in msgspec.structs.fields(model)}
