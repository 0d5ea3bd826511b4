"""Input beyond each limit of `gpuspec/manifests/limits.py`, and the message about it.

`docs/limits.md` is made from these rows; `test_limits.py` checks each of them with the program.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
LOOPS = "{% for a in M %}{% for b in M %}{{ a }}{% endfor %}{% endfor %}".replace(
    "M", f"'{'x' * 900}'"
)


class Row(NamedTuple):
    """A limit, and how it is exceeded."""

    limit: str
    """The constant's name."""
    what: str
    where: str
    said: str
    """The message, with `{}` for the limit."""
    words: str
    """The command line."""
    files: Callable[[int], dict[str, bytes | int]]
    """Files that are beyond a limit, by name: their bytes, or their size for one of zeros."""
    lowered: int | None = None
    """A limit for the test, where the real one takes long to reach."""
    stdin: str | None = None
    """The file that is given as standard input."""
    code: int = 2
    revision: bool = False
    """The files are committed."""


def _profile(most: int) -> bytes:
    text = (ROOT / "examples/clusters/bare-metal.yaml").read_text()
    return re.sub(r"\bnodes: \d+", f"nodes: {most + 1}", text, count=1).encode()


def _chat() -> bytes:
    return (ROOT / "examples/chat.yaml").read_bytes()


READ = "any file of YAML, JSON, TOML or CSV; standard input, in every integration too"
TEXT = "any file of YAML or JSON; standard input"
OBJECT = "an object rendered with `--templates`"
REVISION = "`REVISION:PATH` in `diff`"
RENDER = "render chat.yaml --templates t"

ROWS = (
    Row(
        "MAX_BYTES", "bytes of a file or of standard input", READ,
        "larger than {}, the most that gpuspec reads",
        "lint -", lambda most: {"large": most + 1}, stdin="large",
    ),
    Row(
        "MAX_DUMP", "bytes of a dump in JSON (a dump in YAML has the limit of a file)",
        "`cluster discover`, `--live`",
        "larger than {}, the most that gpuspec reads",
        "cluster discover -",
        lambda most: {"dump": b'{"kind": "List", "items": []' + b" " * most + b"}"},
        lowered=80 * 1024 * 1024, stdin="dump",
    ),
    Row(
        "MAX_DOCUMENTS", "documents", TEXT,
        "more than the {} documents that gpuspec reads from one text",
        "render many.yaml", lambda most: {"many.yaml": b"---\n" * (most + 1)},
    ),
    Row(
        "MAX_DEPTH", "levels of nesting", TEXT,
        "nested deeper than {} levels",
        "render deep.yaml", lambda most: {"deep.yaml": b"a: " + b"[" * most + b"]" * most},
    ),
    Row(
        "MAX_ALIASED", "values that the aliases of a document expand to", TEXT,
        "aliases make this more than {} values or 100 levels",
        "render bomb.yaml",
        lambda _: {
            "bomb.yaml": b"a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
            + b"".join(
                f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n".encode() for n in range(1, 9)
            )
        },
    ),
    Row(
        "MAX_DIGITS", "characters of a quantity", "specs, profiles, nodes",
        "is not a Kubernetes quantity",
        "render chat.yaml",
        lambda most: {"chat.yaml": _chat() + b"  resources: {cpu: '" + b"1" * (most + 1) + b"'}\n"},
    ),
    Row(
        "MAX_PROBLEMS", "reported problems of a document", "specs and profiles",
        "more problems follow; these are the first {}",
        "render chat.yaml",
        lambda most: {
            "chat.yaml": _chat() + b"".join(f"  x{n}: 1\n".encode() for n in range(most + 1))
        },
    ),
    Row(
        "MAX_NODES", "nodes of a profile", "`fit`",
        "nodes, more than the limit of {}",
        "fit chat.yaml -c eu.yaml", lambda most: {"chat.yaml": _chat(), "eu.yaml": _profile(most)},
    ),
    Row(
        "MAX_FOLDERS", "folders within folders", "any folder on the command line",
        "folders are nested more than {} deep",
        "lint top", lambda most: {"top/" + "d/" * (most + 1) + "a.yaml": b"a: b\n"},
    ),
    Row(
        "MAX_RECORD", "bytes of the record in the folder", "an output folder, `-o`",
        "is not a record of this version of gpuspec",
        "render chat.yaml -o out",
        lambda most: {"chat.yaml": _chat(), "out/.gpuspec-record": most + 1},
    ),
    Row(
        "MAX_TEMPLATE", "bytes of a template", "`--templates`",
        "larger than {}, the most that gpuspec reads",
        RENDER, lambda most: {"chat.yaml": _chat(), "t/service.yaml.j2": most + 1},
    ),
    Row(
        "MAX_TEMPLATE_STEPS", "steps of rendering templates", OBJECT,
        "more than {} steps, the limit for one object",
        RENDER, lambda _: {"chat.yaml": _chat(), "t/service.yaml.j2": LOOPS.encode()},
    ),
    Row(
        "MAX_TEMPLATE_TEXT", "characters of text, counted each time they are copied", OBJECT,
        "more than {} of text, the limit for one object",
        RENDER,
        lambda _: {
            "chat.yaml": _chat(),
            "t/service.yaml.j2": b"{% set a = 'x' %}" + b"{% set a = a ~ a %}" * 60,
        },
    ),
    Row(
        "MAX_REVISION_ENTRIES", "files and folders", REVISION,
        "more than {} files and folders, the limit for a revision",
        "diff HEAD: /dev/null",
        lambda most: {f"{n}.yaml": b"" for n in range(most + 1)}, lowered=20, revision=True,
    ),
    Row(
        "MAX_REVISION_DEPTH", "folders within folders", REVISION,
        "folders lie deeper than {} levels",
        "diff HEAD: /dev/null",
        lambda most: {"d/" * most + "a.yaml": b""}, revision=True,
    ),
    Row(
        "MAX_REVISION_BYTES", "bytes of all files together", REVISION,
        "larger than {}, the limit for a revision",
        "diff HEAD: /dev/null",
        lambda most: {f"{n}.yaml": b"#" * (most // 4) for n in range(5)},
        lowered=4096, revision=True,
    ),
)  # fmt: skip


def shown(limit: str, value: int) -> str:
    """A limit as messages have it."""
    from gpuspec.manifests.limits import mib

    in_bytes = (
        "MAX_BYTES",
        "MAX_DUMP",
        "MAX_TEMPLATE",
        "MAX_TEMPLATE_TEXT",
        "MAX_RECORD",
        "MAX_REVISION_BYTES",
    )
    return mib(value) if limit in in_bytes else f"{value:,}"
