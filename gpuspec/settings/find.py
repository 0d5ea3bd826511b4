"""The search for the configuration: above the linted path, up to the repository's root."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.loading.folders import above, folder_of
from gpuspec.manifests import InputError, Place, Problem, read
from gpuspec.manifests.files import content, loose_text
from gpuspec.numbers import of_digits

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpuspec.manifests import Path
    from gpuspec.settings.config import Config, FoundConfig
    from gpuspec.settings.read import Rules

OWN = ".gpuspec.yaml"
SHARED = "pyproject.toml"
SCHEMAS = ".gpuspec/schemas"
"""The places of schemas of custom kinds, unless a configuration names others."""
DEFAULT = "default"
"""Stands for the bundled schemas among the places of schemas."""
_TABLE = r"""\btool["'\s]*\.["'\s]*gpuspec\b|^\s*\[\s*["']?tool["']?\s*\]"""


def nearby(path: str) -> bool:
    """Return whether a linted path may have a configuration or schemas, without reading one."""
    return any(
        os.path.isfile(f"{folder}/{OWN}")
        or os.path.isdir(f"{folder}/{SCHEMAS}")
        or (os.path.isfile(shared := f"{folder}/{SHARED}") and _mentions(loose_text(shared)))
        for folder in above(folder_of(path))
    )


def find(path: str, version: str, rules: Callable[[], Rules]) -> FoundConfig:
    """Return the configuration of a linted path: the nearest one above `path`; an empty one if
    there is none.

    `version` is gpuspec's, for configurations that require one; `rules` resolves the names of
    rules. Raises `InputError` with every problem.
    """
    found_config = _nearest(path, version, rules)
    return msgspec.structs.replace(found_config, schemas=_schemas(found_config, path))


def named(file: str, path: str, version: str, rules: Callable[[], Rules]) -> FoundConfig:
    """Return the configuration in a file of any name, in the form of `find` for `path`.

    Raises `InputError` for a file that cannot be read or has none.
    """
    folder = folder_of(file)
    if file.endswith(".toml"):
        config = _shared(file, rules)
        if config is None:
            hint = "write a table [tool.gpuspec], or name another file"
            raise InputError([Problem(f"{file} has no configuration", hint=hint)])
    else:
        config = _own(file, rules)
    found_config = _checked(config, file, folder, version)
    return msgspec.structs.replace(found_config, schemas=_schemas(found_config, path))


def _schemas(found_config: FoundConfig, path: str) -> tuple[str, ...]:
    """Return the places of schemas that a configuration names, or else the nearest folder of
    schemas.
    """
    schema_locations = found_config.config.schema_locations
    if schema_locations is not None:
        return tuple(
            schema_location
            if schema_location == DEFAULT or "://" in schema_location
            else _from_here(found_config.folder, schema_location)
            for schema_location in schema_locations
        )
    folders = (f"{folder}/{SCHEMAS}" for folder in above(folder_of(path)))
    near = next(filter(os.path.isdir, folders), None)
    return () if near is None else (os.path.relpath(near),)


def _from_here(folder: str, name: str) -> str:
    return os.path.relpath(os.path.join(folder, name))


def _nearest(path: str, version: str, rules: Callable[[], Rules]) -> FoundConfig:
    for folder in above(folder_of(path)):
        own = os.path.relpath(f"{folder}/{OWN}")
        if os.path.isfile(own):
            return _checked(_own(own, rules), own, folder, version)
        shared = os.path.relpath(f"{folder}/{SHARED}")
        if os.path.isfile(shared) and (config := _shared(shared, rules)) is not None:
            return _checked(config, shared, folder, version)
    from gpuspec.settings.config import FoundConfig

    return FoundConfig()


def _checked(config: Config, file: str, folder: str, version: str) -> FoundConfig:
    from gpuspec.settings.config import FoundConfig

    if config.required_version is not None:
        from gpuspec.settings.versions import allows

        try:
            allowed = allows(config.required_version, version)
        except ValueError as error:
            hint = "write >=1.2, ==1.2.3 or >=1.2,<2"
            raise InputError([Problem(f"{file}: `required-version`: {error}", hint=hint)]) from None
        if not allowed:
            message = (
                f"{file}: gpuspec {config.required_version} is required, but this is {version}"
            )
            raise InputError([Problem(message, hint="install the required version")])
    return FoundConfig(config, file, folder)


def _own(file: str, rules: Callable[[], Rules]) -> Config:
    from gpuspec.settings.read import config_of

    documents = read(content(file), file)
    if len(documents) > 1:
        message = "a configuration must be one document"
        raise InputError([Problem(message, documents[1].place(()))])
    if not documents:
        from gpuspec.settings.config import Config

        return Config()
    document = documents[0]
    return config_of(document.value, lambda path, key: document.place(path, key=key), rules())


def _shared(file: str, rules: Callable[[], Rules]) -> Config | None:
    """Return gpuspec's table of a `pyproject.toml`; None if it has none."""
    text = loose_text(file)
    if not _mentions(text):
        return None
    import tomllib

    try:
        value: Any = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = re.search("line ([0-9]+), column ([0-9]+)", str(error))
        place = Place(file, of_digits(at[1]), of_digits(at[2])) if at else Place(file, 1, 1)
        message = re.sub(r" \(at .*\)$", "", str(error))
        raise InputError(
            [Problem(f"not TOML: {message[:1].lower()}{message[1:]}", place)]
        ) from None
    except RecursionError:  # what the reader of TOML does not expect
        raise InputError([Problem("nested too deep", Place(file, 1, 1))]) from None
    except ValueError:  # of Python's own reader of numbers
        message = "a number has too many digits"
        raise InputError([Problem(message, Place(file, 1, 1))]) from None
    table = value.get("tool", {})
    if not isinstance(table, dict) or "gpuspec" not in table:
        return None
    from gpuspec.settings.read import config_of

    return config_of(
        table["gpuspec"], lambda path, _: Place(file, *_toml_line(text, path)), rules()
    )


def _mentions(text: str) -> bool:
    """Return whether a text may have gpuspec's table: most files name gpuspec at most as a
    dependency.
    """
    return "gpuspec" in text and re.search(_TABLE, text, re.MULTILINE) is not None


def _toml_line(text: str, path: Path) -> tuple[int, int]:
    """Return line and column of the deepest step of a path that can be found: the parser has no
    positions.

    Tables, dotted and quoted keys are followed; the position of anything inside of a value is its
    key.
    """
    wanted = ("tool", "gpuspec", *(str(step) for step in path))
    table: tuple[str, ...] = ()
    best = 0, 1, 1
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*\[+\s*(.*?)\s*\]+\s*(?:#.*)?$", line)
        entry = None if header else re.match(r"\s*((?:\"[^\"]*\"|'[^']*'|[\w.-])+)\s*=", line)
        if header:
            table = here = _keys(header[1])
        elif entry:
            here = (*table, *_keys(entry[1]))
        else:
            continue
        depth = len(here)
        if wanted[:depth] == here and depth > best[0]:
            best = depth, number, len(line) - len(line.lstrip()) + 1
    return best[1:]


def _keys(text: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in re.findall(r"\"[^\"]*\"|'[^']*'|[\w-]+", text))
