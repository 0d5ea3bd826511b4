"""An option, an entry or a placeholder that Argo CD takes without a word, and that does nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.reading.names import near
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests.values import items, mapping, text
from gpuspec.products import argocd_groups, argocd_options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.context import Context
    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU878",
    "entry-without-effect",
    "warning",
    "Argo CD passes over an option, an ignored difference or a placeholder",
    fix="unsafe",
)
_PLAIN = re.compile(r"\{\{-?\s*([A-Za-z_][\w.-]*)\s*-?\}\}")
_DOTTED = re.compile(r"\{\{-?\s*(?:index\s+)?\.[A-Za-z_]")
_WORDS = {"end", "else", "break", "continue", "now", "uuidv4", "nil", "list", "dict"}
"""Keywords of Go templates."""
_FIELDS = re.compile(r"[A-Za-z_]\w*([./][\w\[\]*~-]+)+")
"""Fields in a row without the sign that a path begins with. Anything else may be a program of jq."""
_SET = "ApplicationSet"


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Check the fields of an Application, or of an ApplicationSet's template."""
    inside: Path = ("template", "spec") if obj.kind == _SET else ()
    spec = obj.spec
    for step in inside:
        spec = mapping(spec.get(str(step)))
    base = obj.path("spec", *inside)
    for index, option in enumerate(items(mapping(spec.get("syncPolicy")).get("syncOptions"))):
        yield from _option(str(option), (*base, "syncPolicy", "syncOptions", index))
    for index, entry in enumerate(map(mapping, items(spec.get("ignoreDifferences")))):
        yield from _entry(entry, (*base, "ignoreDifferences", index))
    if obj.kind == _SET:
        yield from _placeholders(obj)


def _option(option: str, path: Path) -> Iterator[RawFinding]:
    word, sign, value = (part.strip() for part in re.split(r"([=:])", f"{option}=", maxsplit=1))
    value = value.removesuffix("=").strip()
    options = argocd_options()
    if "{{" in option:
        return
    right_word = word if word in options else near(word, sorted(options))
    if right_word is None or (right_word == word and sign == "=" and value in options[word]):
        return
    values = options[right_word]
    right = value.lower() if value.lower() in values else values[0]
    yield RawFinding(
        path,
        f"Argo CD has no sync option `{option}`, and ignores this entry",
        note=f"write `{right_word}={right}`",
        confidence="likely",
        fix=Fix(f"write `{right_word}={right}`", (Put(path, f"{right_word}={right}"),)),
    )


def _entry(entry: dict[str, object], path: Path) -> Iterator[RawFinding]:
    group, kind = text(entry.get("group")), text(entry.get("kind"))
    at = (*path, "group") if "group" in entry else (*path, "kind")
    groups = argocd_groups().get(kind, ())
    if any(sign in group for sign in "*{") or "{" in kind:
        return
    if "/" in group:
        yield RawFinding(
            at,
            f"`group: {group}` contains a version, but a group has none: Argo CD does not ignore "
            f"any difference of {kind or 'the object'}",
            note=f"write `group: {group.partition('/')[0]}`",
            fix=Fix("write only the group", (Put(at, group.partition("/")[0]),)),
        )
    elif groups and group not in groups:
        right = groups[0] or '""'
        yield RawFinding(
            at,
            f"{kind} is of group `{right}`, not `{group or chr(34) * 2}`: Argo CD does not "
            "ignore any difference of this kind",
            note=f"write `group: {right}`",
            fix=Fix(f"say `group: {right}`", (Put((*path, "group"), groups[0]),)),
        )
    for field, sign in (("jsonPointers", "/"), ("jqPathExpressions", ".")):
        for index, pointer in enumerate(items(entry.get(field))):
            if _FIELDS.fullmatch(text(pointer)):
                yield RawFinding(
                    (*path, field, index),
                    f"`{pointer}` is not a valid path of `{field}`, which begins with `{sign}`: "
                    "Argo CD cannot compare the objects, or ignores no difference",
                    note=f"write `{sign}{re.sub('[./]', sign, text(pointer))}`",
                    confidence="likely",
                )


def _placeholders(obj: Object) -> Iterator[RawFinding]:
    """Yield the first placeholder of the other way to write them."""
    go = obj.spec.get("goTemplate") is True
    for path, template_text in _texts(mapping(obj.spec.get("template")), ("template",)):
        names = [name for name in _PLAIN.findall(template_text) if name not in _WORDS] if go else []
        if names:
            yield RawFinding(
                obj.path("spec", *path),
                f"with `goTemplate: true`, `{{{{{names[0]}}}}}` calls a function that does not "
                "exist: the set creates no Application",
                note=f"write `{{{{.{names[0]}}}}}`",
                confidence="likely",
            )
            return
        if not go and _DOTTED.search(template_text) and "\n" not in template_text:
            yield RawFinding(
                obj.path("spec", *path),
                f"`{template_text}` is a Go template, but `goTemplate` is not `true`: Argo CD "
                "leaves the braces in the Application",
                note="add `goTemplate: true`, or write the name without a dot",
                confidence="likely",
            )
            return


def _texts(value: object, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        # The values of a chart may have templates of their own.
        if "helm" not in path and "kustomize" not in path:
            yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(inner, (*path, str(key)))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _texts(inner, (*path, index))
