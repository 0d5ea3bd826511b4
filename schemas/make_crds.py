"""Makes the compact schemas of custom kinds in `schemas/crds/`, one file for each project.

They come from the projects' CustomResourceDefinitions: a folder with one folder for each project,
YAML files in it, and an `INDEX.md` whose table names release and commit of every one.

    python schemas/make_crds.py FOLDER

How a definition is made compact, and what that leaves out, is in `compacting.py`. The files have
one entry on a line, like the Kubernetes bundles; `index.json` says which kind is in which of them.
"""

import hashlib
import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from compacting import DIALECT, Compactor, as_json

HERE = Path(__file__).parent

Schema = dict[str, Any]


def main(folder: Path) -> None:
    """Write every file, and remove those of projects that are gone."""
    files = texts(folder)
    target = HERE / "crds"
    target.mkdir(exist_ok=True)
    for old in target.glob("*.json"):
        if old.name not in files:
            old.unlink()
    for name, text in files.items():
        (target / name).write_text(text, encoding="utf-8")


def texts(folder: Path) -> dict[str, str]:
    """File name to text: one for each project, and the index."""
    projects: dict[str, Schema] = {}
    kinds: dict[str, Schema] = {}
    files = {}
    for project, sources in index(folder).items():
        source, entries, text = made(project, sources)
        projects[project] = source
        if twice := kinds.keys() & entries.keys():
            raise SystemExit(f"two projects have {', '.join(sorted(twice))}")
        kinds |= entries
        files[f"{project}.json"] = text
    files["index.json"] = "\n".join(
        (f'{{"projects":{{\n{_lines(projects)}\n}},', f'"kinds":{{\n{_lines(kinds)}\n}}}}\n')
    )
    return files


def index(folder: Path) -> dict[str, list[tuple[Path, Schema]]]:
    """Project to its CRD files, each with the row that the index has for it."""
    projects: dict[str, list[tuple[Path, Schema]]] = {}
    for line in (folder / "INDEX.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == 11 and "`" in cells[1]:
            name = cells[1].strip("`")
            row = {"release": cells[7], "commit": cells[8].strip("`"), "date": cells[9]}
            row["repository"] = cells[10].partition(" ")[0]
            projects.setdefault(cells[0], []).append((folder / cells[0] / f"{name}.yaml", row))
    return dict(sorted(projects.items()))


@cache
def definition(file: Path) -> Schema:
    """The CustomResourceDefinition in a file."""
    crd: Schema = yaml.load(file.read_bytes(), yaml.CSafeLoader)
    return crd


def made(project: str, sources: list[tuple[Path, Schema]]) -> tuple[Schema, Schema, str]:
    """A project's source, its kinds' entries in the index, and its file."""
    (source,) = {json.dumps(row): row for _, row in sources}.values()
    compactor = Compactor()
    roots: dict[str, int] = {}
    entries: dict[str, Schema] = {}
    digests = {}
    for file, _ in sorted(sources):
        digests[file.stem] = hashlib.sha256(file.read_bytes()).hexdigest()
        crd = definition(file)["spec"]
        for version in crd["versions"]:
            if version["served"]:
                name = f"{crd['group']}/{version['name']} {crd['names']['kind']}"
                roots[name], about = compactor.root(version["schema"]["openAPIV3Schema"])
                about |= {"project": project, "namespaced": crd["scope"] == "Namespaced"}
                about |= {"deprecated": True} if version.get("deprecated") else {}
                entries[name] = about
    kinds, definitions = compactor.written(roots)
    text = "\n".join(
        (
            f'{{"$schema":"{DIALECT}",',
            f'"source":{as_json({"project": project, **source, "sha256": digests})},',
            f'"kinds":{{\n{_lines(kinds)}\n}},',
            f'"$defs":{{\n{_lines(definitions)}\n}}}}\n',
        )
    )
    return source, entries, text


def _lines(entries: Schema) -> str:
    return ",\n".join(f"{as_json(name)}:{as_json(entries[name])}" for name in sorted(entries))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("name the folder of the definitions")
    main(Path(sys.argv[1]))
