"""Makes `schemas/configurations/configurations.json`: the schemas of configuration files in ConfigMaps.

Each table beside it is one program's file, written by hand from what that program decodes:

    title: NVIDIA's MIG manager     # who reads it
    marks: [mig-configs]            # paths of keys of which one tells such a file, in whatever case
    api: kueue.x-k8s.io/v1          # or how its `apiVersion` begins, which tells it too
    document: Configuration         # the kind of a document that is such a file
    keys: "^queues\\.yaml$"         # what the text's own key has to look like; without, any
    then: it does not start         # what comes of what it cannot read
    unknown: it does not read it    # what comes of keys that it does not know; without, the same as above
    open: it skips it               # what comes of a word that it does not know; only slips are found, as others exist
    grows: [featureGates]           # maps to which releases add keys, the file itself as "": only slips are found there
    variants:                       # items whose name says which definition a field of theirs has
      - {at: profiles.*.pluginConfig.*, told_by: name, field: args, of: {NodeResourcesFit: fit}}
    values: {descheduler: policy}   # the value of a chart that holds such a file as a map, by chart
    schema: {type: object, ...}     # JSON Schema of the few keywords of `gpuspec/validation/nodes.py`, and
                                    # `rules: [{rule: CEL, message: ..., hint: ..., fieldPath: a}]`
    definitions: {part: {...}}

    python schemas/make_configurations.py
"""

import json
from pathlib import Path
from typing import Any

from gpuspec.manifests import read

FOLDER = Path(__file__).parent / "configurations"
_TOLD = ("title", "marks", "api", "keys", "then", "unknown", "open", "grows", "variants", "values")
_TOLD += ("document",)


def text() -> str:
    """All tables in the form that `gpuspec/validation/bundle.py` reads."""
    kinds: dict[str, Any] = {}
    definitions: dict[str, Any] = {}
    for path in sorted(FOLDER.glob("*.yaml")):
        (document,) = read(path.read_text(encoding="utf-8"), path.name)
        table: Any = document.value
        told = {key: table[key] for key in _TOLD if key in table}
        if '"rule": "' in json.dumps(table):
            told["ruled"] = True
        kinds[f"configurations {path.stem}"] = {**told, **_named(table["schema"], path.stem)}
        for name, schema in table.get("definitions", {}).items():
            definitions[f"{path.stem}.{name}"] = _named(schema, path.stem)
    return f'{{\n"kinds":{{\n{_lines(kinds)}\n}},\n"$defs":{{\n{_lines(definitions)}\n}}}}\n'


def _named(schema: Any, stem: str) -> Any:
    """With references to this table's definitions, whose names are all tables' together."""
    if isinstance(schema, list):
        return [_named(one, stem) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: value.replace("#/$defs/", f"#/$defs/{stem}.") if key == "$ref" else _named(value, stem)
        for key, value in schema.items()
    }


def _lines(entries: dict[str, Any]) -> str:
    return ",\n".join(
        f"{json.dumps(key)}:{json.dumps(value, separators=(',', ':'))}"
        for key, value in sorted(entries.items())
    )


if __name__ == "__main__":
    (FOLDER / "configurations.json").write_text(text(), encoding="utf-8")
