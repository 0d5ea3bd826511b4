"""No file imports itself by way of others: a change of one file stays a change of one file.

As in `test_package_imports.py` every import statement counts, also inside functions and under TYPE_CHECKING.
"""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "gpuspec"


def modules(package: Path) -> dict[str, Path]:
    """The files of a package by their dotted names."""
    found = {}
    for file in sorted(package.rglob("*.py")):
        parts = file.relative_to(package.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def imports(file: Path, known: dict[str, Path]) -> set[str]:
    """The files that a file imports, by their dotted names."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in known else node.module)
    return found & known.keys()


def circle(package: Path) -> list[str]:
    """The files of a circle, the first one last again; empty where there is none."""
    known = modules(package)
    graph = {name: imports(file, known) - {name} for name, file in known.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_imports_run_in_a_circle() -> None:
    assert circle(PACKAGE) == []


@pytest.mark.parametrize(
    "back", ["import pack.a", "def f():\n    from pack import a", "from pack.a import X"]
)
def test_a_circle_is_seen(back: str, tmp_path: Path) -> None:
    folder = tmp_path / "pack"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "a.py").write_text("from pack.b import Y\nX = 1\n")
    (folder / "b.py").write_text(f"Y = 1\n{back}\n")
    assert set(circle(folder)) == {"pack.a", "pack.b"}
