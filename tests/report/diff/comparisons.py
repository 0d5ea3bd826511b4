"""Comparisons that reports are made of."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from gpuspec.diff import Diff
from tests.diff.sides import compared, deployment

HERE = Path(__file__).parent
SPEC = (HERE.parents[2] / "examples" / "chat.yaml").read_text(encoding="utf-8")


def _named(found: Diff) -> Diff:
    """The comparison, its files without the folder that they were in for a moment."""
    from msgspec.structs import replace

    def bare(file: str) -> str:
        return file.rpartition("/")[2]

    return replace(
        found,
        old=bare(found.old),
        new=bare(found.new),
        changes=tuple(
            replace(one, file=bare(one.file), old_file=bare(one.old_file)) for one in found.changes
        ),
        specs=tuple(
            replace(one, file=bare(one.file), old_file=bare(one.old_file)) for one in found.specs
        ),
    )


@cache
def story() -> Diff:
    """One of everything, in manifests."""
    texts = ((HERE / f"{name}.yaml").read_text(encoding="utf-8") for name in ("old", "new"))
    return _named(compared(*texts))


@cache
def spec() -> Diff:
    """A spec that asks for more."""
    return _named(compared(SPEC, SPEC.replace("count: 1", "count: 2")))


@cache
def nothing() -> Diff:
    """Two sides that are alike."""
    return _named(compared(deployment(), deployment()))


@cache
def hostile() -> Diff:
    """Names and values that would steer a terminal or a comment."""
    text = (
        "apiVersion: v1\nkind: ConfigMap\n"
        'metadata: {name: "a|b`c</details>\\e[31m", namespace: "@everyone"}\n'
        'data: {"k`1|": VALUE}\n'
    )
    old, new = '"```\\n</details>\\n\\e]0;x\\a"', '"~~~\\n```` <img src=x>\\n"'
    return _named(compared(text.replace("VALUE", old), text.replace("VALUE", new)))


@cache
def large() -> Diff:
    """More objects than a comment takes."""
    sides = (
        "---\n".join(
            deployment(name=f"chat-{'abcdefghij'[n % 10] * 3}{n}").replace("chat:1", f"chat:{tag}")
            for n in range(700)
        )
        for tag in (1, 2)
    )
    return _named(compared(*sides))
