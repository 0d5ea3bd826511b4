"""Write the reference of specs and profiles from the JSON Schemas: `python docs/make_reference.py`.

The schemas are made from the typed models, so page, editor and program say the same. Fields stand by
what people look for, and what they are made of stands below the kind that has them first.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import gpuspec
from gpuspec import hardware
from gpuspec.spec import PROFILE_KIND, WORKLOAD_KINDS
from gpuspec.spec.schema import KINDS
from gpuspec.spec.types import DURATION_PATTERN, QUANTITY_PATTERN

PAGE = Path(__file__).parent / "spec-reference.md"
ORDER = ("Inference", "Training", "FineTune", "BatchInference")
Schema = Mapping[str, Any]
# What a reader looks for, and the fields that it is about, of whatever kind; each has one place.
GROUPS = {
    "What runs": (
        *("runtime", "image", "version", "command", "args", "workingDir", "env", "envFrom"),
        "pullPolicy",
        *("launcher", "mpi", "mpiLauncher", "method", "initContainers", "sidecars", "roles"),
        "wrap",
    ),
    "The model": (
        "model",
        "baseModel",
        "serve",
        "adapters",
        "chatTemplate",
        "context",
        "parallelism",
    ),
    "GPUs, and what goes with them": (
        *("gpu", "workers", "nodes", "resources", "dataLoaders", "architecture", "tenancy"),
        "capacity",
    ),
    "Data and files": ("dataset", "input", "output", "checkpoint", "volumes", "caches"),
    "Clients and replicas": (
        *("replicas", "expose", "route", "network", "latency", "longestRequest", "availability"),
        *("rollout", "warm", "startup", "probes"),
    ),
    "What is observed": ("metrics", "monitoring", "objectives"),
    "Prefill and decode": ("prefill", "connector", "router"),
    "Runs, and what becomes of them": (
        *("run", "shards", "schedule", "duration", "retries", "failOnExitCodes"),
        *("onExitCode", "grace", "fixedName", "ttlAfterFinished"),
    ),
    "The cluster": (
        "kubernetes",
        "extends",
        "provider",
        "autopilot",
        "installed",
        "gpuOperator",
        "targets",
        "knative",
        "runtimes",
        "scheduler",
        "scoring",
    ),
    "Nodes and storage": ("pools", "nodeClasses", "validation", "bandwidth", "storage"),
    "Queue, priority and place": (
        "queue",
        "queues",
        "cohorts",
        "admissionChecks",
        "priority",
        "priorities",
        "topology",
        "place",
        "clusters",
        "target",
    ),
    "Namespaces, and what passes between them": ("namespaces", "network", "gateway"),
    "Owners and access": (
        *(
            "owner",
            "partOf",
            "user",
            "serviceAccount",
            "serviceAccountToken",
            "imagePullSecrets",
            "contracts",
        ),
        *("capabilities", "podLabels", "podAnnotations"),
        "provenance",
    ),
    "What no field says": ("overrides", "waivers"),
}

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
    specs = {kind: parts.pop(f"{kind}Spec") for kind in (*ORDER, PROFILE_KIND)}
    shared = _shared([specs[kind]["properties"] for kind in ORDER])
    lines = [HEAD, *_index(specs, shared)]
    lines += ["## Every document", ""]
    lines += ["`apiVersion: gpuspec.dev/v1alpha1`, `kind`, `metadata` and `spec`.", ""]
    lines += _part("metadata", parts.pop("Metadata"))
    lines += ["## Every workload", "", "Fields of `spec` that all four kinds of workload have.", ""]
    common = specs[ORDER[0]]
    lines += _section({name: common["properties"][name] for name in shared}, common, parts)
    for kind, spec in specs.items():
        own = {
            n: f for n, f in spec["properties"].items() if kind == PROFILE_KIND or n not in shared
        }
        lines += [f"## {kind}", "", schemas[kind]["description"], ""]
        if kind in WORKLOAD_KINDS:
            lines += ["Fields of `spec`, beside those of [every workload](#every-workload).", ""]
        else:
            metadata = _type(schemas[kind]["properties"]["metadata"])
            lines += [f"`metadata` is {metadata}; the fields of `spec`:", ""]
        lines += _section(own, spec, parts)
    for name in sorted(parts):
        lines += _part(name, parts[name])
    lines += _gpus()
    return "\n".join(lines).rstrip() + "\n"


def _index(specs: Schema, shared: list[str]) -> list[str]:
    """Where what is looked for stands."""
    lines = ["| looking for | in [every workload](#every-workload) | in |", "|---|---|---|"]
    for group, names in GROUPS.items():
        every = ", ".join(f"`{name}`" for name in names if name in shared)
        own = []
        for kind, spec in specs.items():
            held = [n for n in names if n in spec["properties"]]
            held = [f"`{n}`" for n in held if kind == PROFILE_KIND or n not in shared]
            if held:
                own.append(f"[{kind}](#{kind.lower()}): {', '.join(held)}")
        lines.append(f"| {group} | {every} | {'; '.join(own)} |")
    return [*lines, "| Names of GPUs | | [GPU names](#gpu-names) |", ""]


def _section(fields: Schema, of: Schema, parts: dict[str, Schema]) -> list[str]:
    """The fields by group, and below them the parts that they are made of, taken out of `parts`."""
    placed = {name for names in GROUPS.values() for name in names}
    if missing := [name for name in fields if name not in placed]:
        raise ValueError(f"{', '.join(missing)}: add it to a group of GROUPS")
    lines: list[str] = []
    for group, names in GROUPS.items():
        held = {name: fields[name] for name in names if name in fields}
        if held:
            lines += [f"**{group}**", "", *_table(held, of), ""]
    ordered = [fields[name] for names in GROUPS.values() for name in names if name in fields]
    for name in _used(ordered, parts):
        lines += _part(name, parts.pop(name))
    return lines


def _used(fields: Iterable[Schema], parts: Mapping[str, Schema]) -> list[str]:
    """Names of the parts that fields are made of, each behind what it is a part of."""
    found: dict[str, None] = {}

    def look(value: Any) -> None:
        if isinstance(value, Mapping):
            name = str(value.get("$ref", "")).rpartition("/")[2]
            if name in parts and name not in found:
                found[name] = None
                look(parts[name]["properties"])
            for inner in value.values():
                look(inner)
        elif isinstance(value, list):
            for inner in value:
                look(inner)

    for field in fields:
        look(field)
    return list(found)


def _gpus() -> list[str]:
    lines = [
        *("## GPU names", ""),
        "What `gpu.models` and a pool's `gpu.model` take, in any case; also the product label of a node, and a",
        "cloud's name of the GPU. A name that means several, such as `H100`, is refused where it matters which.",
        *("", "| GPU | memory | vendor | architecture |", "|---|---|---|---|"),
    ]
    for model in hardware.models():
        memory = f"{round(model.memory / 2**30, 1):g}Gi" if model.memory else ""
        lines.append(f"| `{model.name}` | {memory} | {model.vendor} | {model.family} |")
    return lines


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
