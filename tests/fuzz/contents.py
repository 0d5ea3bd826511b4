"""What the file of a role holds in a try: a text of ours, changed so many times."""

from random import Random

import gpuspec
from tests.fuzz import nasty, shapes, texts
from tests.fuzz.nodes import Node, write, write_json
from tests.fuzz.seeds import donors, trees
from tests.fuzz.seeds import texts as seed_texts

JSON = ("dump", "baseline", "record", "parameters")
"""Roles whose files are JSON, as a rule."""
MANY = 9
"""More changes than this leave a text that can be read."""
_TYPED = ("spec", "profile")
_SEVERAL = ("manifests", "spec", "profile")
_SETTINGS = ("ignore", "profile", "baseline", "severities", "pod-paths", "images", "x")
_TOML = (
    "1",
    '"a"',
    "[]",
    "{}",
    "[1]",
    "nan",
    "2026-01-02",
    "1e400",
    "true",
    "{a = 1}",
    '["\\u001b"]',
)
_SHARED = """\
[tool.gpuspec]
select = ["GPU"]
per-path = {"*.yaml" = {ignore = ["GPU2"]}}
models = {a = "16Gi"}
"""


def content(role: str, changes: int, rng: Random) -> bytes:
    """The bytes of a file."""
    if role == "pyproject":
        return _toml(changes, rng)
    if role in ("template", "mix") or rng.random() < 0.15:
        data = rng.choice(seed_texts(role)).encode()
        for _ in range(changes):
            data = _changed(role, data, rng)
        return data
    documents = _documents(role, rng, very_many=changes <= MANY and rng.random() < 0.01)
    as_json = len(documents) == 1 and rng.random() < (0.8 if role in JSON else 0.06)
    gently = rng.random() < (0.75 if role in _TYPED else 0.4)
    for number in range(changes):
        before = [one.copy() for one in documents] if changes > MANY else documents
        documents = shapes.mutate(documents, rng, donors(), gently=gently)
        # Many changes are of use only where the text can still be read.
        if changes > MANY and number % 2 and not _is_read(documents):
            documents = before
    text = write_json(documents[0]) if as_json and documents else write(documents)
    data = text.encode(errors="surrogatepass" if rng.random() < 0.5 else "replace")
    return texts.mutate(data, rng) if changes and rng.random() < 0.08 else data


def _is_read(documents: list[Node]) -> bool:
    """Whether the program reads the documents at all: what it crashes on is for the try to show."""
    try:
        gpuspec.read_text(write(documents).encode(errors="replace"), "x")
    except gpuspec.InputError:
        return False
    except Exception:
        return True
    return True


def _documents(role: str, rng: Random, *, very_many: bool) -> list[Node]:
    """The trees of a text; of some roles sometimes those of several, or of very many."""
    times = rng.choice((1, 1, 1, 2, 3)) if role in _SEVERAL else 1
    if role == "manifests" and very_many:
        times = 130
    roles = [role] * times
    if role == "manifests" and rng.random() < 0.15:
        roles.append("spec")
    return [one.copy() for each in roles for one in rng.choice(trees(each))]


def _changed(role: str, data: bytes, rng: Random) -> bytes:
    """A text after one change."""
    if role == "template" and rng.random() < 0.6:
        lines = data.split(b"\n")
        at = rng.randrange(len(lines))
        lines[at] += rng.choice((b"", b" ", b"\n")) + rng.choice(nasty.TEMPLATES).encode()
        return b"\n".join(lines)
    if role == "mix" and rng.random() < 0.7:
        return texts.cells(data, rng)
    return texts.mutate(data, rng)


def _toml(changes: int, rng: Random) -> bytes:
    """A configuration in the file that others share."""
    more = (f"{rng.choice(_SETTINGS)} = {rng.choice(_TOML)}\n" for _ in range(changes))
    data = "".join((_SHARED, *more)).encode()
    return texts.mutate(data, rng) if changes > 1 else data
