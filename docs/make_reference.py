"""Write the reference of specs and profiles from the JSON Schemas: `python docs/make_reference.py`.

The schemas are made from the typed models, so page, editor and program say the same.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import gpuspec
from gpuspec.spec import PROFILE_KIND, WORKLOAD_KINDS
from gpuspec.spec.schema import KINDS
from gpuspec.spec.types import DURATION_PATTERN, QUANTITY_PATTERN

PAGE = Path(__file__).parent / "spec-reference.md"
ORDER = ("Inference", "Training", "FineTune", "BatchInference")
Schema = Mapping[str, Any]

HEAD = f"""# Reference of specs and profiles

<!-- Made by docs/make_reference.py from the schemas. Do not edit. -->

Every field of the {len(KINDS)} kinds. The same text stands in the JSON Schemas under `schemas/gpuspec/`, which
editors read: put `# yaml-language-server: $schema=<path or address of the schema>` on a spec's first
line. `gpuspec schema <kind>` prints one.

- *quantity*: as Kubernetes writes it, such as `500m`, `4`, `6Gi`. Bytes, cores or bytes per second.
- *duration*: whole seconds, minutes, hours, days, such as `90s`, `30m`, `12h`, `1h30m`, `2d`.
- **required**: the field has no default. A dash: nothing, or derived; the description says which.
- An unknown field is an error, and so is a field without a value. Fields that exclude each other, and
  arithmetic between fields, are checked when a spec is read; the message says what to write.
"""


def text() -> str:
    """The whole page."""
    schemas = {kind: gpuspec.schema(kind) for kind in KINDS}
    parts = _parts(schemas.values())
    shared = _shared([parts[f"{kind}Spec"]["properties"] for kind in ORDER])
    lines = [HEAD, "## Every document", ""]
    lines += ["`apiVersion: gpuspec.dev/v1alpha1`, `kind`, `metadata` and `spec`.", ""]
    lines += _part("metadata", parts.pop("Metadata"))
    lines += ["## Every workload", "", "Fields of `spec` that all four kinds of workload have.", ""]
    common = parts[f"{ORDER[0]}Spec"]
    lines += [*_table({name: common["properties"][name] for name in shared}, common), ""]
    for kind in (*ORDER, PROFILE_KIND):
        spec = parts.pop(f"{kind}Spec")
        own = {
            n: f for n, f in spec["properties"].items() if kind == PROFILE_KIND or n not in shared
        }
        lines += [f"## {kind}", "", schemas[kind]["description"], ""]
        if kind in WORKLOAD_KINDS:
            lines += ["Fields of `spec`, beside those of [every workload](#every-workload).", ""]
        else:
            metadata = _type(schemas[kind]["properties"]["metadata"])
            lines += [f"`metadata` is {metadata}; the fields of `spec`:", ""]
        lines += [*_table(own, spec), ""]
    lines += ["## Parts", "", "What the fields above are made of, by name.", ""]
    for name, part in sorted(parts.items()):
        lines += _part(name, part)
    return "\n".join(lines).rstrip() + "\n"


def _parts(schemas: Iterable[Schema]) -> dict[str, Schema]:
    """The definitions of all schemas; one name means one thing in all of them."""
    found: dict[str, Schema] = {}
    for schema in schemas:
        for name, part in schema["$defs"].items():
            if found.setdefault(name, part) != part:
                raise ValueError(f"{name} is not the same in every schema")
    return found


def _shared(specs: list[Schema]) -> list[str]:
    """Names of the fields that are the same in all of these."""
    first, *others = specs
    return [name for name in first if all(other.get(name) == first[name] for other in others)]


def _part(name: str, part: Schema) -> list[str]:
    return [f"### {name}", "", part["description"], "", *_table(part["properties"], part), ""]


def _table(fields: Schema, of: Schema) -> list[str]:
    lines = ["| field | type | default | meaning |", "|---|---|---|---|"]
    for name, field in fields.items():
        default = "**required**" if name in of.get("required", ()) else _default(field)
        cells = (f"`{name}`", _type(field), default, _meaning(field))
        lines.append(f"| {' | '.join(_cell(cell) for cell in cells)} |")
    return lines


def _default(field: Schema) -> str:
    value = field.get("default")
    nothing = value is None or (not value and not isinstance(value, int))
    return "—" if nothing else f"`{_flow(value)}`"


def _meaning(field: Schema) -> str:
    said = [field.get("description", "")]
    examples = [f"`{_flow(example)}`" for example in field.get("examples", ())]
    if examples:
        said.append(f"Example{'s' if len(examples) > 1 else ''}: {', '.join(examples)}")
    return " ".join(said)


def _type(field: Schema) -> str:
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "enum" in field:
        return ", ".join(f"`{choice}`" for choice in field["enum"])
    if "anyOf" in field:
        if any(branch.get("pattern") == QUANTITY_PATTERN for branch in field["anyOf"]):
            return "quantity"
        return " or ".join(_type(branch) for branch in field["anyOf"])
    if field.get("pattern") == DURATION_PATTERN:
        return "duration"
    match field["type"]:
        case "array":
            return f"list of {_type(field['items'])}"
        case "object":
            inner = field.get("additionalProperties")
            return f"map to {_type(inner)}" if isinstance(inner, dict) and inner else "map"
        case "integer" | "number":
            return f"whole number{_bounds(field)}"
        case "boolean":
            return "`true`, `false`"
    return "text"


def _bounds(field: Schema) -> str:
    low, high = field.get("minimum"), field.get("maximum")
    if low is None:
        return ""
    return f" from {low}" + (f" to {high}" if high is not None else "")


def _flow(value: object) -> str:
    """A value as one would type it in YAML's flow style."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_flow(inner) for inner in value) + "]"
    return value if isinstance(value, str) else json.dumps(value)


def _cell(content: str) -> str:
    return content.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
