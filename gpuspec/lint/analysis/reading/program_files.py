"""Configuration files of programs: documents, texts in ConfigMaps, texts and maps in the values of charts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.lint.analysis.reading.releases import releases_of
from gpuspec.manifests import InputError, read
from gpuspec.manifests.values import mapping
from gpuspec.validation import configurations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.context import Context
    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Object
    from gpuspec.validation.configurations import ProgramConfiguration

_LONGEST = 100_000
_SERVE = "serveConfigV2"


class ProgramFile(msgspec.Struct, frozen=True):
    """The file of one program: a document, a map, or a text of an object."""

    program: ProgramConfiguration
    value: dict[str, Any]
    path: Path
    """The path of the text or the map, from the document's root."""
    is_text: bool = True
    is_nested: bool = False
    """Whether it is inside of another text, whose lines cannot be named."""

    def place(self, path: Path | None) -> tuple[Path, Path | None]:
        """Return where a part of the file is: from the document's root, and inside of a text."""
        if self.is_nested or path is None:
            return self.path, None
        return (self.path, path) if self.is_text else ((*self.path, *path), None)


def program_files(obj: Object, context: Context) -> Iterator[ProgramFile]:
    """Yield the configuration files of programs with a table that an object holds, or is."""
    if obj.is_a("", "ConfigMap"):
        for key, value in mapping(obj.value.get("data")).items():
            yield from _told(str(key), value, obj.path("data", key), is_nested=False)
        return
    if obj.is_a("ray.io", "RayService"):
        yield from _told(_SERVE, obj.spec.get(_SERVE), obj.path("spec", _SERVE), is_nested=False)
        return
    program = configurations.of_document(obj.api_version, obj.kind)
    if program is not None:
        yield ProgramFile(program, obj.value, obj.base, is_text=False)
        return
    for release in releases_of(obj, context):
        for steps, value in _texts(release.values, ()):
            place, inside = release.place(*steps)
            yield from _told(str(steps[-1]), value, place, is_nested=inside is not None)
        for key, program in configurations.of_values(release.chart):
            value = release.values.get(key)
            if isinstance(value, dict):
                place, inside = release.place(key)
                yield ProgramFile(
                    program, value, place, is_text=False, is_nested=inside is not None
                )


def _told(key: str, value: object, path: Path, *, is_nested: bool) -> Iterator[ProgramFile]:
    if not isinstance(value, str) or len(value) > _LONGEST:
        return
    lower = value.lower()
    if not any(word.lower() in lower for word in configurations.words()):
        return
    try:
        documents = read(value, "config.yaml")
    except (InputError, ValueError):
        return
    top = mapping(documents[0].value if documents else None)
    program = configurations.told_by(key, top)
    if program is not None:
        yield ProgramFile(program, top, path, is_nested=is_nested)


def _texts(values: object, base: Path) -> Iterator[tuple[Path, str]]:
    """Yield the texts of several lines among values."""
    if isinstance(values, dict):
        for key, value in values.items():
            yield from _texts(value, (*base, key))
    elif isinstance(values, list):
        for index, value in enumerate(values):
            yield from _texts(value, (*base, index))
    elif isinstance(values, str) and base and "\n" in values:
        yield base, values
