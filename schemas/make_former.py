"""Write which fields of custom kinds earlier releases had, from the projects' own repositories.

    python schemas/make_former.py CLONES [PROJECT …]

CLONES has a clone of each repository of `crds/index.json`, as `<owner>/<name>`. Of each minor release
the newest patch counts. Fields of pods are left out, since they are Kubernetes' own. Projects that
have no clone, or are not named, keep their entries.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).parent.parent))
from schemas.chart_releases import git

HERE = Path(__file__).parent
FILE = HERE.parent / "gpuspec" / "validation" / "data" / "former.json"
_TAG = re.compile(r"v?([0-9]+)\.([0-9]+)\.([0-9]+)")
_DEFINITION = re.compile(r"crds?[/_.-].*\.ya?ml$|crds?\.ya?ml$", re.IGNORECASE)
_NO_DEFINITION = re.compile(r"(^|/)(testdata|test|tests|vendor|samples?|examples?|docs)/")
_TEMPLATE = re.compile(r"^\s*\{\{.*\}\}\s*$", re.MULTILINE)

Fields = dict[str, tuple[str, str]]
"""Each field's path, with the last release that has it and the release's date."""


def main() -> None:
    """Write the fields of all projects, or of those that are named."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("clones", type=Path)
    arguments.add_argument("projects", nargs="*")
    options = arguments.parse_args()
    index = json.loads((HERE / "crds" / "index.json").read_text())
    former = json.loads(FILE.read_text()) if FILE.exists() else {}
    for project, source in index["projects"].items():
        clone = options.clones / source["repository"]
        if clone.is_dir() and project in (options.projects or index["projects"]):
            kinds = {name for name, kind in index["kinds"].items() if kind["project"] == project}
            former = {name: fields for name, fields in former.items() if name not in kinds}
            former |= gone(clone, source["release"], kinds)
    lines = (f"{json.dumps(name)}: {json.dumps(former[name])}" for name in sorted(former))
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def gone(clone: Path, bundled: str, kinds: set[str]) -> dict[str, Fields]:
    """Return the fields that the newest release lacks, by kind."""
    last: dict[str, Fields] = {name: {} for name in kinds}
    release = ""
    for release in releases(clone, bundled):
        date = git(clone, "log", "-1", "--format=%cs", release).decode().strip()
        for name, fields in definitions(clone, release):
            if name in last:
                last[name] |= dict.fromkeys(fields, (release, date))
    result = {}
    for name, fields in last.items():
        old = {path: row for path, row in fields.items() if row[0] != release}
        tops = {
            path: row
            for path, row in sorted(old.items())
            if not any(path.startswith(f"{outer}.") for outer in old)
        }
        if tops and len(old) < len(fields):
            result[name] = tops
    return result


def releases(clone: Path, bundled: str) -> list[str]:
    """Return the newest patch of each minor release, up to the bundled one."""
    numbers = {
        tuple(map(int, match.groups())): tag
        for tag in git(clone, "tag").decode().split()
        if (match := _TAG.fullmatch(tag))
    }
    end = _TAG.fullmatch(bundled)
    limit = tuple(map(int, end.groups())) if end else max(numbers, default=())
    minors = {number[:2]: tag for number, tag in sorted(numbers.items()) if number <= limit}
    return list(minors.values())


def definitions(clone: Path, release: str) -> Iterator[tuple[str, set[str]]]:
    """Yield each kind of a release, with the paths of the fields of its spec."""
    for file in git(clone, "ls-tree", "-r", "--name-only", release).decode().splitlines():
        if not _DEFINITION.search(file) or _NO_DEFINITION.search(file):
            continue
        text = _TEMPLATE.sub("", git(clone, "show", f"{release}:{file}").decode())
        try:
            documents = list(yaml.load_all(text, yaml.CSafeLoader))
        except yaml.YAMLError:
            continue  # the template of a chart, whose definitions are elsewhere too
        for document in documents:
            if isinstance(document, dict) and document.get("kind") == "CustomResourceDefinition":
                spec = document.get("spec") or {}
                for version in spec.get("versions") or ():
                    fields: set[str] = set()
                    collect((version.get("schema") or {}).get("openAPIV3Schema") or {}, "", fields)
                    name = f"{spec['group']}/{version['name']} {spec['names']['kind']}"
                    yield name, {field for field in fields if field.startswith("spec.")}


def collect(schema: dict[str, Any], path: str, fields: set[str]) -> None:
    """Add the paths of a schema's fields."""
    properties = schema.get("properties") or {}
    if "containers" in properties and "restartPolicy" in properties:
        return  # a pod's
    for name, inner in properties.items():
        fields.add(path + name)
        if "containers" not in properties:
            collect(inner, f"{path}{name}.", fields)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            collect(schema[key], f"{path}*.", fields)


if __name__ == "__main__":
    main()
