"""Write the page of what names what: `python docs/make_references.py`, from the table of kinds."""

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

Which fields of which kinds name or select other objects, and which rule speaks when these are not there.

A run seldom has all objects of a cluster, so that a name which nothing has is no fault by itself. Rules speak where the
set has what must have been meant:

| rule | speaks when | is silent when |
|---|---|---|
| [GPU022](rules.md#gpu022) | a name in the same folder differs by a letter or a dash; in one file the name has the prefix or suffix that the build gave to others, or is in another namespace; a key, a port or a listener is asked of what has others | the name comes near nothing, is a placeholder, is made by a generator, an operator or an ExternalSecret; two names come near; somebody else may fill in or patch the data |
| [GPU711](rules.md#gpu711), [GPU715](rules.md#gpu715) | a queue, a flavor, a topology or a check is not among those of its kind in the set, or in the profile | the set has none of the kind |
| [GPU805](rules.md#gpu805) | the target of an autoscaler has another kind or namespace, or a prefix, or is spelled nearly so | the name comes near nothing, or a kustomization builds it |
| [GPU806](rules.md#gpu806), [GPU023](rules.md#gpu023) | a selector misses what carries some of its labels, or one of nearly its value; a monitor asks for a port that there is not | nothing comes near, a controller sets the label, the selector has expressions or namespaces of its own |
| [GPU021](rules.md#gpu021), [GPU024](rules.md#gpu024) | Kustomize gives what is named a hash, a prefix or a suffix, and does not know the field | a kustomization says which fields are names, or may set the field otherwise |
| [GPU025](rules.md#gpu025) | nothing in a whole kustomization uses a claim, a queue or a flavor | more may come from elsewhere |
| [GPU026](rules.md#gpu026) | a selector takes pods of another workload too, which serve another model or listen elsewhere | they stand in other files, may answer the same requests, or an operator may add ports |
| [GPU028](rules.md#gpu028) | a route or a gateway names what is in another namespace without a ReferenceGrant there, or a kind without its group | what is named is not in the set, or a grant can mean it |

Names that a chart makes of its release are only there once it is rendered: a template is no manifest, and nothing is
said of it.

## Names

*Kustomize* says whether its prefixes, suffixes and hashes reach the field (`yes`), or leave it behind (`no`), or do not
change the name of what it names (`-`). `optional` marks what works without.

"""
SELECTS = """
## Selectors

| field | selects | asked of it | rule | kinds |
|---|---|---|---|---|
"""
MADE = """
## Names of what is made

What an operator makes under a name that an object says is there for all who name it.

| kind | field | makes |
|---|---|---|
"""
NONE = """
## Fields that name nothing

Every field of a kind with a schema that looks like a name, and is none of the above, is one of these. A field that is
neither fails `tests/kinds/test_references.py`.

| why | fields |
|---|---|
"""
UNWALKED = """
## Kinds without a schema

Of these no schema is at hand, so that nobody has gone through all their fields: """


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
        yield f"\n### {group}\n\n| field | names | asked of it | rule | Kustomize | kinds |\n"
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
        _listed(f"`{key}`" for key in row.keys),
        f"[{code}](rules.md#{code.lower()})" if code else "none: its name is not kept",
        _kustomize(row, kind, f"{base}.{path}" if base else path),
    )


def _target(row: Reference) -> str:
    if row.kind_at:
        return (
            f"what `{row.kind_at}` says, else {row.kind}"
            if row.kind
            else f"what `{row.kind_at}` says"
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
