"""Write the page of what controllers set: `python docs/make_controllers.py`, from the table of kinds."""

import re
from collections.abc import Iterator
from pathlib import Path

from gpuspec.kinds import Kind, kinds
from gpuspec.kinds.owned import ControllerField
from gpuspec.lint.analysis.serving.applications import expression
from gpuspec.manifests import Path as Steps

PAGE = Path(__file__).parent / "controllers.md"

HEAD = """# What controllers set

<!-- Made by docs/make_controllers.py from gpuspec/kinds. Do not edit. -->

Controllers set some fields after an object is applied. If a manifest has such a field too, each apply overwrites the
controller's value. So gpuspec [does not write these fields](gitops.md#what-gpuspec-does-not-write), the
linter reports them ([GPU804](rules.md#gpu804), [GPU718](rules.md#gpu718)), and [`gpuspec diff`](diff.md) shows whose value
applies.

| field | set by | if | kinds |
|---|---|---|---|
"""
RULES = """
## Rules for Argo CD

Leave the field out of the manifest if you can. Some fields must be set once, or are in a list, which an apply replaces as
a whole. For these, an Application can ignore the difference: copy the rules that you need. Without
`RespectIgnoreDifferences=true` in its `syncOptions`, a sync still sends the field.

```yaml
ignoreDifferences:
"""


def text() -> str:
    """The page."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for kind in kinds():
        for owned in kind.owned:
            row = owned.field, owned.by or "an autoscaler", _when(owned)
            rows.setdefault(row, []).append(f"{kind.name} ({kind.group or 'core'})")
    lines = [
        f"| `{field}` | {by} | {when} | {', '.join(names)} |"
        for (field, by, when), names in rows.items()
    ]
    return HEAD + "\n".join(lines) + "\n" + RULES + "\n".join(_rules()) + "\n```\n"


def _rules() -> Iterator[str]:
    for kind in kinds():
        if kind.owned:
            yield f"  - group: {kind.group or repr('')}"
            yield f"    kind: {kind.name}"
            yield "    jqPathExpressions:"
            yield from (f"      - {said}" for said in expressions(kind))


def expressions(kind: Kind) -> list[str]:
    """What Argo CD has to be told of a kind: what always holds needs no condition beside it."""
    always = [owned.field for owned in kind.owned if not owned.by]
    said = [expression(field) for field in always]
    return said + [
        f"select({_condition(owned)}) | {expression(owned.field)}"
        for owned in kind.owned
        if owned.field not in always
    ]


def _condition(owned: ControllerField) -> str:
    said = [_jq(path) for path in owned.on]
    said += [f"{_jq(owned.off)} | not"] if owned.off else []
    return " and ".join(said)


def _jq(path: Steps) -> str:
    plain = re.compile(r"\w+")
    return "".join(f".{step}" if plain.fullmatch(str(step)) else f'["{step}"]' for step in path)


def _when(owned: ControllerField) -> str:
    if not owned.by:
        return "the object is its target"
    said = [f"{_named(path)} is set" for path in owned.on]
    said += [f"{_named(owned.off)} is not set"] if owned.off else []
    return ", ".join(said)


def _named(path: Steps) -> str:
    *holder, name = map(str, path)
    words = {"labels": "the label ", "annotations": "the annotation "}
    return (
        words[holder[-1]] + f"`{name}`"
        if holder[0] == "metadata"
        else f"`{'.'.join(map(str, path))}`"
    )


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
