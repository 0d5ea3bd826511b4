"""Write the page of keys from their tables: `python docs/make_keys.py`."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from msgspec.structs import replace

from gpuspec import hardware, keys
from gpuspec.keys import Key, Old, Project
from gpuspec.keys.tables import is_closed

PAGE = Path(__file__).parent / "keys.md"

HEAD = """# Keys

<!-- Made by docs/make_keys.py from gpuspec/keys/data and gpuspec/hardware/data. Do not edit. -->

This page lists the labels, annotations, environment variables, resources and node labels that components of a GPU stack
read. For each key it gives the place where it is read, its values, the keys that it requires or excludes, its successor
if it is out of use, and the rule of the [linter](rules.md) that checks it, or the reason why no rule does. Sources and
versions are listed with each project.

*Read from*: an object's own metadata, that of its pods (for a Knative Service, of its revisions), or that of a node. In a
*closed* family all keys are known, so GPU704 reports a key with a typing error. In other families users may have keys of
their own, and an unknown key may be right. gpuspec does not see a value that comes from a Secret, a ConfigMap or another
variable, and does not check it. It does not check the variables of programs that no table lists.
"""

NODES = """## Labels of nodes

Labellers that know a node's GPUs write these labels, and `nodeSelector` and node affinity select by them. GPU213 reports a
key, a product or another value that no labeller and no cloud writes. GPU202 and GPU203 report labels that a profile's
pools lack, GPU210 a label that is out of use, and GPU705 a node label on a pod.
"""

RESOURCES = """## Resources

GPU103 reports an unknown name that is close to one of these. GPU101, GPU102 and GPU104 check their amounts, GPU318 parts
of a GPU, and GPU910 to GPU914 fabrics.
"""

PLACES = {"object": "objects", "pod": "pods", "node": "nodes", "any": "objects, pods"}


def text() -> str:
    """The page."""
    lines = [HEAD]
    for one in keys.projects():
        lines += [f"## {_capital(one.title)}", "", *_project(one), ""]
    lines += [NODES, *_nodes(), "", RESOURCES, *_resources()]
    return "\n".join(lines) + "\n"


def _project(one: Project) -> Iterator[str]:
    yield f"Closed: {_code(one.closed)}." if one.closed else "It has no closed family."
    yield ""
    told = [key for rows in one.keys.values() for key in rows]
    if told:
        yield "| key | is | read from | value | needs | rule |"
        yield "|---|---|---|---|---|---|"
        alike = groupby(told, lambda key: (replace(key, name=""), is_closed(key.name)))
        for (facts, closed), rows in alike:
            yield _row(facts, [key.name for key in rows], closed=closed)
        yield ""
    if one.old:
        yield "| out of use | since | instead | rule |"
        yield "|---|---|---|---|"
        for old, every in groupby(one.old.values(), lambda each: replace(each, name="")):
            yield _old(old, [each.name for each in every])
        yield ""
    if one.names:
        why = "GPU704 for typing errors" if one.closed else "none, since its family is not closed"
        yield f"Known by name, with any value; rule: {why}."
        yield ""
        yield _code(sorted(one.names)) + "."
        yield ""
    sources = [each.source for each in told] + [each.source for each in one.old.values()]
    if one.names_source:
        sources.append(one.names_source)
    yield "Sources: " + "; ".join(dict.fromkeys(sources)) + "."


def _row(key: Key, names: list[str], *, closed: bool) -> str:
    place = "containers" if key.fields[0] in ("env", "resource") else PLACES[key.level]
    value = "" if key.value is None else _cell(key.value.says())
    beside = [] if key.need is None else [" or ".join(f"`{name}`" for name in key.need.any)]
    beside += [] if key.bar is None else [f"not `{name}`" for name in key.bar.any]
    need = ", ".join(beside)
    fields = ", ".join("variable" if field == "env" else field for field in key.fields)
    return f"| {_code(names)} | {fields} | {place} | {value} | {need} | {_rules(key, names, closed=closed)} |"


def _rules(key: Key, names: list[str], *, closed: bool) -> str:
    found = []
    if "resource" in key.fields:
        found.append("GPU103")
    elif closed:
        found.append("GPU704")
    has_domain = all("/" in name for name in names)
    if has_domain and key.level != "node" and key.fields in (("label",), ("annotation",)):
        found.append("GPU705")
    found += [
        code for code, there in (("GPU706", key.value), ("GPU707", key.need or key.bar)) if there
    ]
    found += [key.said] if key.said else []
    if found:
        return ", ".join(dict.fromkeys(found))
    if key.set_by:
        return f"none: {key.set_by} sets it"
    return "none: any value may be right"


def _old(old: Old, names: list[str]) -> str:
    instead = f"`{old.by}`" if old.by else old.instead or ""
    state = (old.since or "") + (", still read" if old.read else "")
    if old.kept:
        state += f", still read by {' and '.join(f'`{server}`' for server in old.kept)}"
    if old.always:
        state += f"; since then `{old.always}` always applies"
    return f"| {_code(names)} | {state.removeprefix(', ')} | {instead} | GPU708 |"


def _nodes() -> Iterator[str]:
    yield "| labeller | keys |"
    yield "|---|---|"
    for one in hardware.labellers().values():
        yield f"| {one.title} | {_code(one.keys.values())} |"
    known = {key for one in hardware.labellers().values() for key in one.keys.values()}
    others = sorted(set(hardware.label_keys()) - known)
    yield f"| others | {_code(others)} |"
    yield ""
    yield "| label of a cloud | set by | its values | rule |"
    yield "|---|---|---|---|"
    for label in hardware.cloud_labels().values():
        rules = "GPU213, GPU705" if label.values or label.whole else "GPU705"
        yield f"| `{label.key}` | {label.title} | {_code(label.values)} | {rules} |"
    yield ""
    yield "| out of use | instead | rule |"
    yield "|---|---|---|"
    for old in hardware.replaced_labels().values():
        yield f"| `{old.key}` | `{old.by}` | GPU210 |"


def _resources() -> Iterator[str]:
    yield "| maker | devices | other resources of its domain |"
    yield "|---|---|---|"
    for vendor in hardware.vendors():
        devices = _code(each.name for each in vendor.resources)
        yield f"| {vendor.title} | {devices} | {_code(vendor.others)} |"
    yield ""
    yield "| fabric | resources |"
    yield "|---|---|"
    for fabric in hardware.fabrics():
        yield f"| {fabric.title} | {_code(fabric.resources)} |"


def _code(names: object) -> str:
    assert hasattr(names, "__iter__")
    return ", ".join(f"`{name}`" for name in names)


def _capital(title: str) -> str:
    return title[0].upper() + title[1:]


def _cell(words: str) -> str:
    return words.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(text())
