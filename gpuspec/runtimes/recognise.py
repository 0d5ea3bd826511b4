"""Which runtime an image carries, by its repository alone, and which one a command starts."""

import re
from collections.abc import Sequence
from functools import cache

from gpuspec.numbers import of_digits
from gpuspec.runtimes.load import table

_VERSION = re.compile(r"v?([0-9]{1,9})\.([0-9]{1,9})(?:\.([0-9]{1,9}))?(?!\.?[0-9])")


def recognise(image: str) -> str | None:
    """Name of the runtime in an image, or None.

    Only the last parts of the repository count, so that a mirror's registry and project in front
    of them change nothing: `mirror.example.com/hub/vllm/vllm-openai:v0.33.0` is vLLM.
    """
    parts = _split(image)[0].split("/")
    known = _patterns()
    for pattern, runtime in known.get(parts[-1], []) + known.get("*", []):
        tail = parts[-len(pattern) :]
        if len(tail) == len(pattern) and all(
            wanted in ("*", part) for wanted, part in zip(pattern, tail, strict=True)
        ):
            return runtime
    return None


def started(words: Sequence[str]) -> str | None:
    """Name of the runtime that a command line starts, or None.

    Programs count with a path in front, and whatever stands around them: a shell, an interpreter.
    """
    return _first(words, "serves")


def started_otherwise(words: Sequence[str]) -> bool:
    """Whether a command line makes something else of a server's image: a batch run, a benchmark."""
    return _first(words, "others") is not None


def _first(words: Sequence[str], which: str) -> str | None:
    plain = [word.rpartition("/")[2] for word in words]
    if _beginnings(which).isdisjoint(plain):
        return None
    for phrase, runtime in _phrases(which):
        at = -1
        while phrase[0] in plain[at + 1 :]:
            at = plain.index(phrase[0], at + 1)
            if tuple(plain[at : at + len(phrase)]) == phrase:
                return runtime
    return None


def version(image: str) -> tuple[int, int, int] | None:
    """Version that an image's tag begins with (`v0.33.0-cu130` is 0.33.0), or None.

    None too for `latest`, a digest alone, or a tag that names a build: what cannot be known is not
    guessed, since a server does not start with an argument that its version does not know.
    """
    match = _VERSION.match(_split(image)[1])
    return _parts(match) if match else None


def at_least(image: str, since: str) -> bool | None:
    """Whether an image's tag is of version `since` or newer; None when the tag does not say."""
    wanted = _VERSION.fullmatch(since)
    if wanted is None:
        raise ValueError(f"not a version: {since!r}")
    found = version(image)
    if found is None:
        return None
    return found >= _parts(wanted)


def _parts(match: re.Match[str]) -> tuple[int, int, int]:
    major, minor, patch = (of_digits(part) for part in match.groups("0"))
    return major, minor, patch


def _split(image: str) -> tuple[str, str]:
    """Repository (with its registry) and tag; an empty tag where there is none."""
    name = image.partition("@")[0]
    slash = name.rfind("/")
    repository, _, tag = name[slash + 1 :].partition(":")
    return name[: slash + 1] + repository, tag


@cache
def _patterns() -> dict[str, list[tuple[list[str], str]]]:
    """By their last part, which is `*` where any will do."""
    found: dict[str, list[tuple[list[str], str]]] = {}
    for row in table("images")["images"]:
        for repository in row["repositories"]:
            parts = repository.split("/")
            found.setdefault(parts[-1], []).append((parts, row["runtime"]))
    return found


@cache
def _phrases(which: str) -> tuple[tuple[tuple[str, ...], str], ...]:
    return tuple(
        (tuple(phrase.split()), row["runtime"])
        for row in table("images")["commands"]
        for phrase in row.get(which, ())
    )


@cache
def _beginnings(which: str) -> frozenset[str]:
    """The first words of the phrases."""
    return frozenset(phrase[0] for phrase, _ in _phrases(which))
