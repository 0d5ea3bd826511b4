"""Edges of rules: clean manifests with a patch, and what some families say of them and how loud.

The pages hold the plain wrong and right of each rule; edges stand in the tests of its family.
"""

from typing import NamedTuple

import yaml

from gpuspec.lint.engine import Engine
from gpuspec.lint.model import Finding
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import SourceFile
from gpuspec.settings.config import Facts
from tests.lint.pages import HERE, merge, named_profile

CODES = ("GPU6", "GPU9")
"""Rules that are asked: an edge of one is none of another."""


class Edge(NamedTuple):
    """A case: what it shows, base and patch, what is said of it."""

    shows: str
    base: str
    patch: str
    said: tuple[str, ...] = ()
    profile: str | None = None


def main(text: str) -> str:
    """A patch of the main container of a template."""
    lines = "\n".join(f"          {line}" for line in text.strip("\n").splitlines())
    return f"spec:\n  template:\n    spec:\n      containers:\n        - name: main\n{lines}"


def pod(text: str) -> str:
    """A patch of a template's pod."""
    lines = "\n".join(f"      {line}" for line in text.strip("\n").splitlines())
    return f"spec:\n  template:\n    spec:\n{lines}"


def said(text: str, profile: str | None = None, facts: Facts | None = None) -> list[Finding]:
    """What these rules say of a manifest."""
    loader = TextLoader([SourceFile("a.yaml", text)])
    engine = Engine(
        lambda code: code.startswith(CODES), named_profile(profile) if profile else None, facts
    )
    return [one.finding() for one in engine.run(loader)]


def laid(base: str, patch: str) -> str:
    """A patch on a base, and the documents that stand with either."""
    first, *others = yaml.safe_load_all((HERE / "bases" / f"{base}.yaml").read_text())
    change, *more = yaml.safe_load_all(patch)
    return yaml.safe_dump_all([merge(first, change), *others, *more], sort_keys=False)


def spoken(edge: Edge) -> list[str]:
    """Codes and severities of what is said of an edge, as an edge has them."""
    found = said(laid(edge.base, edge.patch), edge.profile)
    return sorted(f"{one.rule} {one.severity}" for one in found)
