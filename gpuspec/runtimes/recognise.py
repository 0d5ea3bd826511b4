"""Recognise the runtime of an image by its repository, and that of a command by its words."""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, Literal

from gpuspec.numbers import of_digits
from gpuspec.runtimes.load import names, table

Which = Literal["serves", "others"]

_VERSION = re.compile(r"(?:main-v|v)?([0-9]{1,9})\.([0-9]{1,9})(?:\.([0-9]{1,9}))?(?!\.?[0-9])")


def recognise(image: str) -> str | None:
    """Return the runtime of an image, or None.

    Only the last parts of the repository count, so a mirror's registry and project change nothing:
    `mirror.example.com/hub/vllm/vllm-openai:v0.33.0` is vLLM.
    """
    parts = _split(image)[0].split("/")
    patterns = _by_last_part()
    for pattern, runtime in patterns.get(parts[-1], []) + patterns.get("*", []):
        if _is_of(parts, pattern) and is_image_of(runtime, image):
            return runtime
    return None


def is_image_of(runtime: str, image: str) -> bool:
    """Return whether an image is one of that runtime; no other runtime's table is loaded."""
    return _images_of(runtime, image) is not None


def is_image(image: str, repositories: Sequence[str]) -> bool:
    """Return whether an image belongs to one of these repositories: the last parts of their paths."""
    parts = _split(image)[0].split("/")
    return any(_is_of(parts, name.split("/")) for name in repositories)


def entrypoint(runtime: str, image: str) -> str | None:
    """Return how the entrypoint of a runtime's image uses `args`: see :attr:`Images.entrypoint`."""
    images = _images_of(runtime, image)
    return None if images is None else images.get("entrypoint")


def is_for_cpu(runtime: str, image: str) -> bool:
    """Return whether a runtime's image is a build for the CPU alone."""
    images = _images_of(runtime, image)
    tags = () if images is None else images.get("cpu_tags", ())
    return any(_is_like(_split(image)[1], tag) for tag in tags)


def folders(runtime: str, image: str) -> tuple[str, ...]:
    """Return the known folders with the program's files in a runtime's image."""
    images = _images_of(runtime, image)
    return () if images is None else tuple(images.get("folders", ()))


def hub(runtime: str, image: str) -> str | None:
    """Return the download folder of a runtime's image, if the image sets one; otherwise None."""
    images = _images_of(runtime, image)
    return None if images is None else images.get("hub")


def login(runtime: str, image: str) -> str | None:
    """Return the registry of a runtime's image that requires a login; otherwise None."""
    images = _images_of(runtime, image)
    return None if images is None else images.get("login")


def before_args(runtime: str, image: str) -> tuple[str, ...]:
    """Return the program that the image puts before `args`, such as `ollama`; otherwise nothing."""
    return starts(runtime)[0][:1] if entrypoint(runtime, image) == "command" else ()


def started(words: Sequence[str]) -> str | None:
    """Return the runtime that a command line starts, or None.

    Programs count with a path in front, and within a shell or an interpreter.
    """
    start = _first(words, "serves")
    return start[0] if start else None


def after_start(words: Sequence[str], runtime: str) -> int | None:
    """Return the index of the word after the command that starts that runtime; None if there is no
    such command."""
    start = _first(words, "serves")
    return start[1] if start and start[0] == runtime else None


def started_otherwise(words: Sequence[str]) -> bool:
    """Return whether a command line starts something else from a server's image: a batch run, a
    benchmark."""
    return _first(words, "others") is not None


@cache
def starts(runtime: str) -> tuple[tuple[str, ...], ...]:
    """Return the commands that start a runtime, each as its words."""
    phrases = table(runtime).get("commands", {}).get("serves", ())
    return tuple(tuple(phrase.split()) for phrase in phrases)


@cache
def programs() -> frozenset[str]:
    """Return the names of the programs and packages that start servers: `vllm`, `tritonserver`."""
    return frozenset(word.partition(".")[0] for word in _beginnings("serves"))


def _first(words: Sequence[str], which: Which) -> tuple[str, int] | None:
    """Return the runtime of the first command in the words, and the index of the word after it."""
    plain = [word.rpartition("/")[2] for word in words]
    if _beginnings(which).isdisjoint(plain):
        return None
    for phrase, runtime in _phrases(which):
        at = -1
        while phrase[0] in plain[at + 1 :]:
            at = plain.index(phrase[0], at + 1)
            if _stands(phrase, plain, at) and not _is_longer(phrase, plain, at, which):
                return runtime, at + len(phrase)
    return None


def _stands(phrase: tuple[str, ...], plain: Sequence[str], at: int) -> bool:
    """Return whether a command starts at an index. A single word may be the value of an option:
    `--peer tritonserver`."""
    if tuple(plain[at : at + len(phrase)]) != phrase:
        return False
    before = plain[at - 1] if at and len(phrase) == 1 else ""
    return not before.startswith("--") or before == "--" or "=" in before


def _is_longer(phrase: tuple[str, ...], plain: Sequence[str], at: int, which: Which) -> bool:
    """Return whether a longer command of the other sort starts at the same index: `trtllm-serve
    disaggregated`."""
    other_sort: Which = "others" if which == "serves" else "serves"
    return any(
        len(longer) > len(phrase) and tuple(plain[at : at + len(longer)]) == longer
        for longer, _ in _phrases(other_sort)
    )


def version(image: str) -> tuple[int, int, int] | None:
    """Return the version at the start of an image's tag (`v0.33.0-cu130` is 0.33.0), or None.

    None also for `latest`, a digest alone, and a tag that names a build or another publisher's
    release. gpuspec does not guess, since a server does not start with an argument that its version
    lacks.
    """
    repository, tag = _split(image)
    match = _VERSION.match(tag)
    if match is None or any(_is_of(repository.split("/"), own_tag) for own_tag in _own_tags()):
        return None
    return _parts(match)


def at_least(image: str, since: str, release: str | None = None) -> bool | None:
    """Return whether a server has version `since` or a newer one; None if its version is unknown.

    `release` is the version from another source than the image's tag.
    """
    current = _server_version(image) if release is None else version_of(release)
    return None if current is None else current >= _known(since)


def _server_version(image: str) -> tuple[int, int, int] | None:
    """Return the version of the server in an image. The releases of servers have three numbers, so
    the tag `0.1` of an unknown repository is its owner's."""
    numbers = _VERSION.match(_split(image)[1])
    is_own = numbers is not None and numbers[3] is None and recognise(image) is None
    return None if is_own else version(image)


def version_of(text: str) -> tuple[int, int, int] | None:
    """Return the version at the start of a text that is written like a tag."""
    match = _VERSION.match(text)
    return None if match is None else _parts(match)


def _known(text: str) -> tuple[int, int, int]:
    release = version_of(text)
    if release is None or not _VERSION.fullmatch(text):
        raise ValueError(f"not a version: {text!r}")
    return release


def _parts(match: re.Match[str]) -> tuple[int, int, int]:
    major, minor, patch = (of_digits(part) for part in match.groups("0"))
    return major, minor, patch


def _split(image: str) -> tuple[str, str]:
    """Return repository, with its registry, and tag; the tag is empty if there is none."""
    name = image.partition("@")[0]
    slash = name.rfind("/")
    repository, _, tag = name[slash + 1 :].partition(":")
    return name[: slash + 1] + repository, tag


def _is_of(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Return whether a repository ends as a pattern does."""
    tail = parts[-len(pattern) :]
    return len(tail) == len(pattern) and all(
        _is_like(part, pattern_part) for pattern_part, part in zip(pattern, tail, strict=True)
    )


def _is_like(part: str, pattern: str) -> bool:
    return part == pattern or ("*" in pattern and fnmatchcase(part, pattern))


def _images_of(runtime: str, image: str) -> dict[str, Any] | None:
    """Return the row of a runtime's images that contains an image."""
    name, tag = _split(image)
    parts = name.split("/")
    for row in _rows(runtime):
        if any(_is_of(parts, repository.split("/")) for repository in row["repositories"]):
            others = row.get("other_tags", ())
            untold = bool(others) and not tag and "@" in image
            images: dict[str, Any] = row
            return (
                None if untold or any(_is_like(tag, other_tag) for other_tag in others) else images
            )
    return None


def _patterns(runtime: str) -> list[list[str]]:
    return [name.split("/") for image in _rows(runtime) for name in image["repositories"]]


def _rows(runtime: str) -> list[dict[str, Any]]:
    """Return the rows of the images that are a runtime's by their names alone."""
    return [image for image in table(runtime).get("images", ()) if image.get("recognised", True)]


@cache
def _own_tags() -> tuple[list[str], ...]:
    """Return the repositories whose tags are the publisher's releases."""
    images = [image for runtime in names() for image in table(runtime).get("images", ())]
    return tuple(
        name.split("/")
        for image in images
        if image.get("own_tags")
        for name in image["repositories"]
    )


@cache
def _by_last_part() -> dict[str, list[tuple[list[str], str]]]:
    """Return all patterns by their last part; under `*` if the last part is a pattern itself."""
    by_last_part: dict[str, list[tuple[list[str], str]]] = {}
    for runtime in names():
        for parts in _patterns(runtime):
            last = "*" if "*" in parts[-1] else parts[-1]
            by_last_part.setdefault(last, []).append((parts, runtime))
    return by_last_part


@cache
def _phrases(which: Which) -> tuple[tuple[tuple[str, ...], str], ...]:
    return tuple(
        (tuple(phrase.split()), runtime)
        for runtime in names()
        for phrase in table(runtime).get("commands", {}).get(which, ())
    )


@cache
def _beginnings(which: Which) -> frozenset[str]:
    """Return the first words of the phrases."""
    return frozenset(phrase[0] for phrase, _ in _phrases(which))
