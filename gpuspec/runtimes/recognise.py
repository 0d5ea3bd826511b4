"""Which runtime an image carries, by its repository alone, and which one a command starts."""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, Literal

from gpuspec.numbers import of_digits
from gpuspec.runtimes.load import names, table

Which = Literal["serves", "others"]

_VERSION = re.compile(r"v?([0-9]{1,9})\.([0-9]{1,9})(?:\.([0-9]{1,9}))?(?!\.?[0-9])")


def recognise(image: str) -> str | None:
    """Name of the runtime in an image, or None.

    Only the last parts of the repository count, so that a mirror's registry and project in front
    of them change nothing: `mirror.example.com/hub/vllm/vllm-openai:v0.33.0` is vLLM.
    """
    parts = _split(image)[0].split("/")
    known = _by_last_part()
    for pattern, runtime in known.get(parts[-1], []) + known.get("*", []):
        if _is_of(parts, pattern) and is_image_of(runtime, image):
            return runtime
    return None


def is_image_of(runtime: str, image: str) -> bool:
    """Return whether an image carries that runtime; asks no other's table."""
    return _images_of(runtime, image) is not None


def is_image(image: str, repositories: Sequence[str]) -> bool:
    """Return whether an image is of one of these repositories, the last parts of their paths."""
    parts = _split(image)[0].split("/")
    return any(_is_of(parts, name.split("/")) for name in repositories)


def entrypoint(runtime: str, image: str) -> str | None:
    """Return what the entrypoint of a runtime's image makes of `args`: see
    :attr:`Images.entrypoint`."""
    images = _images_of(runtime, image)
    return None if images is None else images.get("entrypoint")


def is_for_cpu(runtime: str, image: str) -> bool:
    """Return whether a runtime's image is a build for the CPU alone."""
    images = _images_of(runtime, image)
    tags = () if images is None else images.get("cpu_tags", ())
    return any(_is_like(_split(image)[1], tag) for tag in tags)


def folders(runtime: str, image: str) -> tuple[str, ...]:
    """Return the folders of a runtime's image that its program lies in, as far as they are
    known."""
    images = _images_of(runtime, image)
    return () if images is None else tuple(images.get("folders", ()))


def hub(runtime: str, image: str) -> str | None:
    """Return the folder that downloads land in, where a runtime's image moves it; None where it
    does not."""
    images = _images_of(runtime, image)
    return None if images is None else images.get("hub")


def login(runtime: str, image: str) -> str | None:
    """Return the registry that gives a runtime's image to nobody without a login; None where there
    is none."""
    images = _images_of(runtime, image)
    return None if images is None else images.get("login")


def before_args(runtime: str, image: str) -> tuple[str, ...]:
    """Return what the image puts before `args` that are a command of its program: `ollama`; else
    nothing."""
    return starts(runtime)[0][:1] if entrypoint(runtime, image) == "command" else ()


def started(words: Sequence[str]) -> str | None:
    """Name of the runtime that a command line starts, or None.

    Programs count with a path in front, and whatever stands around them: a shell, an interpreter.
    """
    found = _first(words, "serves")
    return found[0] if found else None


def after_start(words: Sequence[str], runtime: str) -> int | None:
    """Return where the word behind the command that starts that runtime would stand; None without
    one."""
    found = _first(words, "serves")
    return found[1] if found and found[0] == runtime else None


def started_otherwise(words: Sequence[str]) -> bool:
    """Return whether a command line makes something else of a server's image: a batch run, a
    benchmark."""
    return _first(words, "others") is not None


@cache
def starts(runtime: str) -> tuple[tuple[str, ...], ...]:
    """Return the commands that start a runtime, each in its words."""
    phrases = table(runtime).get("commands", {}).get("serves", ())
    return tuple(tuple(phrase.split()) for phrase in phrases)


@cache
def programs() -> frozenset[str]:
    """Return the names of the programs and packages that start servers: `vllm`, `tritonserver`."""
    return frozenset(word.partition(".")[0] for word in _beginnings("serves"))


def _first(words: Sequence[str], which: Which) -> tuple[str, int] | None:
    """Return the runtime of the first command that is there, and where the word behind it would
    stand."""
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
    """Return whether a command stands there. One word alone may be what an option says: `--peer
    tritonserver`."""
    if tuple(plain[at : at + len(phrase)]) != phrase:
        return False
    before = plain[at - 1] if at and len(phrase) == 1 else ""
    return not before.startswith("--") or before == "--" or "=" in before


def _is_longer(phrase: tuple[str, ...], plain: Sequence[str], at: int, which: Which) -> bool:
    """Return whether a command of the other sort begins there too and says more: `trtllm-serve
    disaggregated`."""
    other: Which = "others" if which == "serves" else "serves"
    return any(
        len(each) > len(phrase) and tuple(plain[at : at + len(each)]) == each
        for each, _ in _phrases(other)
    )


def version(image: str) -> tuple[int, int, int] | None:
    """Return version that an image's tag begins with (`v0.33.0-cu130` is 0.33.0), or None.

    None too for `latest`, a digest alone, or a tag that names a build, or a release of somebody
    else's: what cannot be known is not guessed, since a server does not start with an argument that
    its version does not know.
    """
    repository, tag = _split(image)
    match = _VERSION.match(tag)
    if match is None or any(_is_of(repository.split("/"), own_tag) for own_tag in _own_tags()):
        return None
    return _parts(match)


def at_least(image: str, since: str, said: str | None = None) -> bool | None:
    """Return whether a server is of version `since` or newer; None when nothing tells its version.

    `said` is its version where something other than the image's tag says it.
    """
    found = version(image) if said is None else version_of(said)
    return None if found is None else found >= _known(since)


def version_of(text: str) -> tuple[int, int, int] | None:
    """Return version that a text begins with, as tags are written."""
    match = _VERSION.match(text)
    return None if match is None else _parts(match)


def _known(text: str) -> tuple[int, int, int]:
    found = version_of(text)
    if found is None or not _VERSION.fullmatch(text):
        raise ValueError(f"not a version: {text!r}")
    return found


def _parts(match: re.Match[str]) -> tuple[int, int, int]:
    major, minor, patch = (of_digits(part) for part in match.groups("0"))
    return major, minor, patch


def _split(image: str) -> tuple[str, str]:
    """Return repository (with its registry) and tag; an empty tag where there is none."""
    name = image.partition("@")[0]
    slash = name.rfind("/")
    repository, _, tag = name[slash + 1 :].partition(":")
    return name[: slash + 1] + repository, tag


def _is_of(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Return whether a repository ends as a pattern says."""
    tail = parts[-len(pattern) :]
    return len(tail) == len(pattern) and all(
        _is_like(part, wanted) for wanted, part in zip(pattern, tail, strict=True)
    )


def _is_like(part: str, wanted: str) -> bool:
    return part == wanted or ("*" in wanted and fnmatchcase(part, wanted))


def _images_of(runtime: str, image: str) -> dict[str, Any] | None:
    """Return the row of a runtime's images that an image belongs to."""
    name, tag = _split(image)
    parts = name.split("/")
    for each in table(runtime).get("images", ()):
        if any(_is_of(parts, known.split("/")) for known in each["repositories"]):
            others = each.get("other_tags", ())
            untold = bool(others) and not tag and "@" in image
            held: dict[str, Any] = each
            return None if untold or any(_is_like(tag, other) for other in others) else held
    return None


def _patterns(runtime: str) -> list[list[str]]:
    images = table(runtime).get("images", ())
    return [name.split("/") for image in images for name in image["repositories"]]


@cache
def _own_tags() -> tuple[list[str], ...]:
    """Return the repositories whose tags count the publisher's releases."""
    images = [image for runtime in names() for image in table(runtime).get("images", ())]
    return tuple(
        name.split("/")
        for image in images
        if image.get("own_tags")
        for name in image["repositories"]
    )


@cache
def _by_last_part() -> dict[str, list[tuple[list[str], str]]]:
    """Return the patterns of all by their last part; under `*` where that is a pattern itself."""
    found: dict[str, list[tuple[list[str], str]]] = {}
    for runtime in names():
        for parts in _patterns(runtime):
            last = "*" if "*" in parts[-1] else parts[-1]
            found.setdefault(last, []).append((parts, runtime))
    return found


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
