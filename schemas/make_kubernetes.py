"""Makes the compact Kubernetes schemas in `schemas/kubernetes/`, one file for each version.

They come from the strict schemas in the PyPI package kubernetes-validate (a development
dependency), which are Kubernetes' own OpenAPI definitions as JSON Schema, with unknown fields
refused. A bundle keeps every keyword that decides a verdict and drops the prose, so a verdict
on the bundle is a verdict on those files. `gpuspec/kubernetes.py` says which versions there are;
run it again after a change there, or a new release of the package:

    make docs

The files are JSON with one entry on a line, so that a reader may pick single entries without
parsing the rest (`gpuspec/validation/bundle.py`), and so that a change is a readable diff.
"""

import hashlib
import json
import re
from importlib import metadata, util
from pathlib import Path
from typing import Any

from gpuspec.kubernetes import VERSIONS

PACKAGE = "kubernetes-validate"
FOLDER = Path(__file__).parent / "kubernetes"
DIALECT = "https://json-schema.org/draft/2020-12/schema"

# Everything in the source that can decide a verdict. `format` is an annotation in this dialect.
# The rest (`description`, `x-kubernetes-…`) is for other readers; what is neither stops the run.
_DECIDING = frozenset({"$ref", "type", "properties", "required", "additionalProperties", "items"})
_DECIDING |= {"enum", "oneOf", "format"}
_DROPPED = re.compile(r"description|\$schema|\$id|x-kubernetes-.*")
_REFERENCE = re.compile(r"(?:/api/_definitions\.json)?#/\$defs/(.+)")

Schema = dict[str, Any]


def main() -> None:
    """Write every bundle beside this file, and remove those of versions that are gone."""
    texts = {bundle_path(version): bundle(version) for version in VERSIONS}
    for path in FOLDER.glob("*.json"):
        if path not in texts:
            path.unlink()
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")


def bundle_path(version: str) -> Path:
    """Where the bundle of a Kubernetes version lies."""
    return FOLDER / f"{version}.json"


def bundle(version: str) -> str:
    """The text of one version's bundle, made from the installed package."""
    folder = _source(version)
    definitions: dict[str, Schema] = json.loads((folder / "_definitions.json").read_bytes())[
        "$defs"
    ]
    digest = hashlib.sha256((folder / "_definitions.json").read_bytes())
    kinds: dict[str, Schema] = {}
    for api_version, kind, file in _kinds(definitions, folder):
        digest.update(file.read_bytes())
        kinds[f"{api_version} {kind}"] = _compact(json.loads(file.read_bytes()))
    source = {
        "package": PACKAGE,
        "version": metadata.version(PACKAGE),
        "folder": folder.name,
        "sha256": digest.hexdigest(),
    }
    compact = {name: _compact(schema) for name, schema in definitions.items()}
    used = _reachable(kinds, compact)
    return "\n".join(
        (
            f'{{"$schema":"{DIALECT}",',
            f'"source":{_json(source)},',
            f'"kinds":{{\n{_lines(kinds)}\n}},',
            f'"$defs":{{\n{_lines(used)}\n}}}}\n',
        )
    )


def _source(version: str) -> Path:
    package = util.find_spec("kubernetes_validate")
    if package is None or package.origin is None:
        raise SystemExit(f"{PACKAGE} is not installed: pip install {PACKAGE}")
    folder = Path(package.origin).parent / "kubernetes-json-schema" / f"v{version}.0-local-strict"
    if not folder.is_dir():
        has = f"{PACKAGE} {metadata.version(PACKAGE)} has no schemas of Kubernetes {version}"
        raise SystemExit(f"{has}: pin a release in pyproject.toml that has")
    return folder


def _kinds(definitions: dict[str, Schema], folder: Path) -> list[tuple[str, str, Path]]:
    """Each (apiVersion, kind) that has a schema file of its own, sorted, with that file.

    The file is what validators look up, and its root differs a little from the definition of
    the same name: `null` is refused as a whole object, and allowed for some required fields.
    """
    found = []
    for schema in definitions.values():
        for name in schema.get("x-kubernetes-group-version-kind", ()):
            group, version, kind = name["group"], name["version"], name["kind"]
            short = f"{group.partition('.')[0]}-{version}" if group else version
            file = folder / f"{kind.lower()}-{short}.json"
            if file.is_file():
                found.append((f"{group}/{version}" if group else version, kind, file))
    return sorted(found)


def _compact(schema: Schema) -> Schema:
    kept: Schema = {}
    for keyword, value in schema.items():
        if keyword not in _DECIDING:
            if not _DROPPED.fullmatch(keyword):
                raise SystemExit(f"the source has a new keyword, {keyword}: decide what it means")
        elif keyword == "properties":
            kept[keyword] = {name: _compact(child) for name, child in value.items()}
        elif keyword in ("items", "additionalProperties") and isinstance(value, dict):
            kept[keyword] = _compact(value)
        elif keyword == "oneOf":
            if any(set(branch) != {"type"} for branch in value):
                raise SystemExit(f"the source has a oneOf of more than types: {value}")
            kept[keyword] = value
        elif keyword == "$ref":
            reference = _REFERENCE.fullmatch(value)
            if reference is None:
                raise SystemExit(f"the source has a reference of a new form: {value}")
            kept[keyword] = f"#/$defs/{reference[1]}"
        else:
            kept[keyword] = value
    return kept


def _reachable(kinds: dict[str, Schema], definitions: dict[str, Schema]) -> dict[str, Schema]:
    """The definitions that the kinds refer to, directly or through others."""
    used: dict[str, Schema] = {}
    todo = re.findall(r'"#/\$defs/([^"]+)"', _json(kinds))
    while todo:
        name = todo.pop()
        if name not in used:
            used[name] = definitions[name]
            todo += re.findall(r'"#/\$defs/([^"]+)"', _json(used[name]))
    return used


def _lines(entries: dict[str, Schema]) -> str:
    return ",\n".join(f"{_json(name)}:{_json(entries[name])}" for name in sorted(entries))


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


if __name__ == "__main__":
    main()
