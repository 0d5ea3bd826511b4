"""Which package of the package imports which: the "may import" column of the design, held exactly.

Every import statement counts: at a module's top, inside a function (lazy imports are how start-up
time is kept) and under TYPE_CHECKING; so do `importlib.import_module` and `__import__` with a
literal name.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "gpuspec"

FACADE = "gpuspec"  # the package's __init__, whose functions stand in the package `facade`
FREE = {"enumeration", "escaping", "kubernetes", "locate", "numbers", "version"}

PACKAGES = {
    "startup": {"spec", "cli"},
    "manifests": {"startup"},
    "kinds": {"manifests"},
    "hardware": {"manifests"},
    "runtimes": {"manifests"},
    "keys": {"manifests"},
    "models": {"manifests"},
    "products": {"manifests"},
    "spec": {"manifests", "hardware", "runtimes", "models"},
    "cel": {"manifests"},
    "validation": {"manifests", "cel"},
    "fleet": {"manifests", "hardware", "spec", "cel"},
    "plan": {"manifests", "hardware", "runtimes", "models", "products", "spec", "fleet"},
    "targets": {"manifests", "spec", "plan"},
    "render": {"plan", "targets", "manifests", "kinds", "validation", "startup"},
    "cluster": {
        *("manifests", "kinds", "hardware", "runtimes", "spec", "fleet", "plan", "targets"),
        "render",
    },
    "objects": {"manifests", "kinds", "hardware"},
    "charts": {"manifests", "kinds", "objects"},
    "settings": {"manifests", "loading", "spec"},
    "demand": {
        *("manifests", "kinds", "hardware", "spec", "fleet", "plan", "cluster"),
        *("objects", "loading"),
    },
    "loading": {"manifests", "kinds", "hardware", "objects", "spec", "charts"},
    "lint": {
        *("manifests", "kinds", "hardware", "runtimes", "keys", "models", "spec", "cel"),
        *("validation", "fleet", "objects", "loading", "settings", "charts", "products"),
    },
    "diff": {"manifests", "kinds", "hardware"},
    "drift": {"manifests", "kinds", "hardware", "spec", "fleet", "cluster", "objects", "diff"},
    "report": {
        "kinds",
        "objects",
        "loading",
        "settings",
        "demand",
        "plan",
        "lint",
        "fleet",
        "diff",
        "drift",
    },
    "hosts": {FACADE, "report"},
    "cli": {FACADE, "report", "hosts"},
}

COMPOSED = set(PACKAGES) - {"cli", "hosts", "report"}

MAY_IMPORT: dict[str, set[str]] = {
    **PACKAGES,
    "kubernetes": set(),
    "locate": set(),
    "numbers": set(),
    "enumeration": set(),
    "version": set(),
    "escaping": set(),
    "__main__": {"startup"},
    FACADE: {"facade", *COMPOSED},
    "facade": COMPOSED,
}


def package_of(module: str) -> str:
    """The package that a dotted name under `gpuspec` is in; the package itself is the façade."""
    return ([*module.split("."), FACADE])[1]


def imported(source: str, module: str, *, is_package: bool) -> Iterator[tuple[int, str]]:
    """Line and package of everything of ours that a module's source imports."""
    package = module if is_package else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        match node:
            case ast.Import():
                names = [alias.name for alias in node.names]
            case ast.ImportFrom():
                base = node.module or ""
                if node.level:
                    parents = package.split(".")[: len(package.split(".")) - node.level + 1]
                    base = ".".join([*parents, *filter(None, [node.module])])
                names = [base]
                if base == "gpuspec":  # a package, or a name of the façade
                    names = [f"{base}.{a.name}" if part(a.name) else base for a in node.names]
            case ast.Call(func=ast.Attribute(attr="import_module") | ast.Name(id="__import__")):
                said = [a.value for a in node.args if isinstance(a, ast.Constant)]
                names = [value for value in said if isinstance(value, str)]
            case _:
                pass
        for name in names:
            if name.partition(".")[0] == "gpuspec":
                assert isinstance(node, ast.stmt | ast.expr)
                yield node.lineno, package_of(name)


def part(name: str) -> bool:
    """Whether a name in `from gpuspec import name` is a package or a module, not the façade's own."""
    return name in MAY_IMPORT or (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file()


STARTUP = {
    "gpuspec.startup.process": {"gpuspec.__main__"},
    "gpuspec.startup.prebuilt": {"gpuspec.manifests.tables", "gpuspec.render.templates"},
    "gpuspec.startup.render_checks": {"gpuspec.facade.linting"},
    "gpuspec.startup.sha": {"gpuspec.manifests.digests"},
}
"""The files of the package `startup` that others know, and by whom each is asked."""


def test_what_is_for_start_up_alone_is_asked_in_few_places() -> None:
    known: dict[str, set[str]] = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        if (home := module_of(file)).startswith("gpuspec.startup"):
            continue
        for name in re.findall(r"gpuspec\.startup\.\w+", file.read_text()):
            known.setdefault(name, set()).add(home)
    assert known == STARTUP


def module_of(file: Path) -> str:
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_every_module_is_in_a_package_of_the_table() -> None:
    homes = {package_of(module_of(file)) for file in PACKAGE.rglob("*.py")}
    assert homes <= set(MAY_IMPORT), "a new package goes into the design and into this table"


@pytest.mark.parametrize("home", sorted(MAY_IMPORT))
def test_a_package_imports_only_what_it_may(home: str) -> None:
    allowed = MAY_IMPORT[home] | FREE | {home}
    wrong = [
        f"{file}:{line}: {home} may not import {package}"
        for file in sorted(PACKAGE.rglob("*.py"))
        if package_of(module := module_of(file)) == home
        for line, package in imported(
            file.read_text(), module, is_package=file.name == "__init__.py"
        )
        if package not in allowed
    ]
    assert not wrong, "\n".join(wrong)


def test_the_page_of_concepts_has_the_same_table() -> None:
    page = (PACKAGE.parent / "docs" / "concepts.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]+) \|$", page, re.MULTILINE)
    told = {
        package: set(re.findall(r"`(\w+)`", allowed))
        | ({FACADE} if "the façade" in allowed else set())
        for package, allowed in rows
        if package in PACKAGES
    }
    assert told == PACKAGES


@pytest.mark.parametrize(
    ("statement", "package"),
    [
        ("import gpuspec", FACADE),
        ("from gpuspec import load", FACADE),
        ("from gpuspec import plan", "plan"),
        ("from gpuspec.plan.placement import place", "plan"),
        ("import gpuspec.plan.placement as p", "plan"),
        ("def f():\n    from gpuspec.plan import x", "plan"),
        ("if TYPE_CHECKING:\n    from gpuspec.plan import x", "plan"),
        ("from ..plan import x", "plan"),
        ("from .. import plan", "plan"),
        ("from . import sibling", "spec"),
        ("from .sibling import x", "spec"),
        ("importlib.import_module('gpuspec.plan')", "plan"),
        ("__import__('gpuspec.plan')", "plan"),
    ],
)
def test_every_way_to_import_is_seen(statement: str, package: str) -> None:
    found = imported(statement, "gpuspec.spec.model", is_package=False)
    assert [name for _, name in found] == [package]


def test_imports_of_others_are_not_ours() -> None:
    source = "import gpuspecs, json\nfrom gpuspec_x import y\nimportlib.import_module(name)"
    assert not list(imported(source, "gpuspec.spec.model", is_package=False))


def test_relative_imports_start_at_a_package_when_the_file_is_one() -> None:
    assert list(imported("from .a import b", "gpuspec.plan", is_package=True)) == [(1, "plan")]
