"""Write the page of references between objects: `python docs/make_references.py`, from the table of kinds."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from reference_fields import fields, is_known, matches, reasons, unwalked

from gpuspec.kinds import Kind, kind_of, kinds, scalable_kinds
from gpuspec.kinds.model import Reference
from gpuspec.kinds.name_references import is_rewritten, keeps_its_name
from gpuspec.kinds.references import CONTAINER, KUEUE, LABELS, POD

PAGE = Path(__file__).parent / "references.md"
HEAD = """# References

<!-- Made by docs/make_references.py from gpuspec/kinds and docs/no_references.yaml. Do not edit. -->

This page lists the fields that name or select other objects, by kind, and the rule that reports a missing object.

A run rarely has all objects of a cluster, so a name without an object is no fault in itself. The rules report it if the
set has the object that was probably meant:

| rule | reports | no finding |
|---|---|---|
| [GPU022](rules.md#gpu022) | a name that differs from another in the same folder by a letter or a dash; a name that lacks a prefix or suffix which others in the file have; a name in another namespace; a key, port or listener that the named object lacks | if no name is near, or two are; if the name is a placeholder, or a generator, an operator or an ExternalSecret makes the object; if another program may fill in or patch the data |
| [GPU711](rules.md#gpu711), [GPU715](rules.md#gpu715) | a queue, a flavor, a topology or a check that is not among those of its kind in the set, or in the profile | if the set has none of the kind |
| [GPU805](rules.md#gpu805) | a target of an autoscaler that has another kind or namespace, a prefix, or a nearly equal name | if no name is near, or a kustomization builds the target |
| [GPU806](rules.md#gpu806), [GPU023](rules.md#gpu023) | a selector that matches nothing, but an object has some of its labels, or nearly the same value; a monitor's port that does not exist | if no object is near, a controller sets the label, or the selector has expressions or its own namespaces |
| [GPU021](rules.md#gpu021), [GPU024](rules.md#gpu024) | a field that Kustomize does not know as a name, while it adds a hash, a prefix or a suffix to the named object | if a kustomization declares the field as a name, or may set it in another way |
| [GPU025](rules.md#gpu025) | a claim, a queue or a flavor that nothing in a whole kustomization uses | if users may come from elsewhere |
| [GPU026](rules.md#gpu026) | a selector that also matches pods of another workload, which serve another model or listen on other ports | if the pods are in other files, may answer the same requests, or may get ports from an operator |
| [GPU028](rules.md#gpu028) | a route or a gateway that names an object in another namespace without a ReferenceGrant there, or a kind without its group | if the named object is not in the set, or a grant may cover it |

Names that depend on a chart's release exist only in the rendered manifest. Templates are not manifests, so these names
are not checked in them.

## Names

*Kustomize*: `yes` if it applies its prefixes, suffixes and hashes to the field, `no` if it does not, `-` if it never
renames the named object. *Also names* lists the fields that name a key, a port or another part of the named object.
`optional` marks objects that may be missing.

"""
SELECTS = """
## Selectors

| field | selects | also names | rule | kinds |
|---|---|---|---|---|
"""
MADE = """
## Objects that operators make

An operator makes an object under a name from one of these fields. A reference to this name counts as resolved.

| kind | field | makes |
|---|---|---|
"""
NONE = """
## Fields that are no references

These fields look like names, but refer to no other object. `tests/kinds/test_references.py` fails for a field of a kind
with a schema that looks like a name, and is neither here nor above.

| what it is | fields |
|---|---|
"""
UNWALKED = """
## Kinds without a schema

gpuspec has no schema of these kinds, so their fields have not been checked for references: """


def text() -> str:
    """The page."""
    parts = [HEAD, *_names(), SELECTS, *_selectors(), MADE, *_made(), NONE, *_none(), UNWALKED]
    return "".join((*parts, _unwalked()))


def rule_for(kind: Kind | None, row: Reference) -> str:
    """The code of the rule that speaks of a name, where the object is of a kind; empty for none."""
    named = kind_of(row.group, row.kind)
    if kind is not None and kind.group == KUEUE and row.kind in _QUEUES and row.group == KUEUE:
        return "GPU715"
    if row.kind == "LocalQueue":
        return "GPU711"
    if kind is not None and kind.phase == "scaling" and _may_scale(row):
        return "GPU805"
    if named is not None and named.holds_pods and not named.template:
        return ""
    return "GPU022"


_QUEUES = (
    *("ClusterQueue", "ResourceFlavor", "Topology", "AdmissionCheck"),
    *("ProvisioningRequestConfig", "MultiKueueConfig", "MultiKueueCluster"),
)


def _may_scale(row: Reference) -> bool:
    """Whether a field names what has a scale."""
    is_target = row.holder.endswith(("scaleTargetRef", "targetRef", "scalableRef"))
    return is_target and (not row.kind or row.kind in scalable_kinds())


def _names() -> Iterator[str]:
    groups: dict[str, list[tuple[str, Reference, Kind | None, str]]] = {}
    for row in POD:
        groups.setdefault("Pods", []).append((row.path, row, kind_of("", "Pod"), "spec"))
    for row in CONTAINER:
        item = (row.path, row, kind_of("", "Pod"), "spec.containers.*")
        groups.setdefault("Containers", []).append(item)
    for row in LABELS:
        groups.setdefault("Labels", []).append(
            (row.path, row, kind_of("", "Pod"), "metadata.labels")
        )
    for kind in kinds():
        for row in kind.refers:
            groups.setdefault(kind.group or "core", []).append((row.path, row, kind, ""))
    for group, items in groups.items():
        yield f"\n### {group}\n\n| field | names | also names | rule | Kustomize | kinds |\n"
        yield "|---|---|---|---|---|---|\n"
        rows: dict[tuple[str, ...], list[str]] = {}
        for path, row, kind, base in items:
            shown = kind.name if kind is not None and not base else "all"
            rows.setdefault(_row(path, row, kind, base), []).append(shown)
        for cells, named in rows.items():
            yield f"| {' | '.join(cells)} | {_listed(dict.fromkeys(named))} |\n"


def _row(path: str, row: Reference, kind: Kind | None, base: str) -> tuple[str, ...]:
    code = rule_for(None if base else kind, row)
    optional = " (optional)" if row.optional else ""
    return (
        f"`{path}`",
        f"{_target(row)}{optional}",
        _listed(f"`{key.partition('=')[0]}`" for key in row.keys),
        f"[{code}](rules.md#{code.lower()})" if code else "none: its name changes",
        _kustomize(row, kind, f"{base}.{path}" if base else path),
    )


def _target(row: Reference) -> str:
    if row.kind_at:
        return (
            f"the kind in `{row.kind_at}`, or {row.kind}"
            if row.kind
            else f"the kind in `{row.kind_at}`"
        )
    return " or ".join((row.kind, *row.others))


def _kustomize(row: Reference, kind: Kind | None, path: str) -> str:
    if row.kind and keeps_its_name(row.group, row.kind):
        return "-"
    steps = tuple(0 if step == "*" else step for step in path.split("."))
    group, name = ("", "") if kind is None else (kind.group, kind.name)
    targets = [row.kind] if row.kind else [one.name for one in kinds()]
    return "yes" if any(is_rewritten(group, name, steps, target) for target in targets) else "no"


def _selectors() -> Iterator[str]:
    rows: dict[tuple[str, ...], list[str]] = {}
    for kind in kinds():
        code = "GPU806" if (kind.group, kind.name) == ("", "Service") else "GPU023"
        for one in kind.selects:
            ports = _listed(f"`{port}`" for port in one.ports)
            cells = (f"`{one.path}`", f"{one.what}s", ports, f"[{code}](rules.md#{code.lower()})")
            rows.setdefault(cells, []).append(kind.name)
    for cells, named in rows.items():
        yield f"| {' | '.join(cells)} | {_listed(named)} |\n"


def _made() -> Iterator[str]:
    for kind in kinds():
        for row in kind.makes:
            yield f"| {kind.name} | `{row.path}` | {row.kind} |\n"


def _none() -> Iterator[str]:
    unknown = [field for field in fields() if not is_known(field)]
    for reason in reasons():
        found = [field for field in unknown if any(matches(field, each) for each in reason.fields)]
        shown = _listed(f"`{pattern}`" for pattern in reason.fields)
        yield f"| {reason.text} ({len(found)}) | {shown} |\n"


def _unwalked() -> str:
    groups: dict[str, list[str]] = {}
    for kind in unwalked():
        groups.setdefault(kind.group or "core", []).append(kind.name)
    return "; ".join(f"{_listed(names)} (`{group}`)" for group, names in groups.items()) + ".\n"


def _listed(words: Iterable[str]) -> str:
    return ", ".join(words)


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
