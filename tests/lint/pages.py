"""A rule's page as fixtures: its blocks, laid over clean manifests.

A block that begins with ```` ```yaml on=deployment profile=h100 ```` is a patch on `bases/deployment.yaml`
judged with `profiles/h100.yaml`, and further documents of the block stand beside it; without `on` it is a
whole manifest (perhaps several documents).
"""

import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from gpuspec.lint.engine import Engine
from gpuspec.lint.raised import RaisedFinding
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import SourceFile
from gpuspec.spec import Profile, load_profiles

HERE = Path(__file__).parent
RULES = HERE.parent.parent / "gpuspec" / "lint" / "rules"
SECTIONS = (
    "What",
    "Why on a GPU cluster",
    "Wrong",
    "Right",
    "When to suppress",
    "Sources",
)
_BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    """One fixture of a page."""

    text: str
    profile: str | None

    def __str__(self) -> str:
        return self.text


class Page(NamedTuple):
    """A rule's page."""

    path: Path
    sections: dict[str, str]

    def blocks(self, section: str) -> list[Block]:
        """The fixtures of a section."""
        return [
            _block(attributes, body)
            for language, attributes, body in _BLOCK.findall(self.sections[section])
            if language == "yaml"
        ]


def page(module: str) -> Page:
    """The page beside a rule's module (`devices.request_differs`)."""
    path = (RULES / module.replace(".", "/")).with_suffix(".md")
    parts = re.split(r"^## (.+)$", path.read_text(), flags=re.MULTILINE)
    return Page(path, dict(zip(parts[1::2], parts[2::2], strict=True)))


def raised(text: str, profile: str | None = None, name: str = "page.yaml") -> list[RaisedFinding]:
    """What all rules say of a manifest."""
    loader = TextLoader([SourceFile(name, text)])
    engine = Engine(lambda code: True, named_profile(profile) if profile else None)
    found = list(engine.run(loader))
    assert not loader.unread, loader.unread
    return found


@cache
def named_profile(name: str) -> Profile:
    """A profile of `profiles/`."""
    return load_profiles([str(HERE / "profiles" / f"{name}.yaml")])[0]


def _block(attributes: str, body: str) -> Block:
    given = dict(word.split("=", 1) for word in attributes.split())
    assert given.keys() <= {"on", "profile"}, f"unknown attributes: {attributes}"
    base = given.get("on")
    if base is None:
        return Block(body, given.get("profile"))
    documents = list(yaml.safe_load_all((HERE / "bases" / f"{base}.yaml").read_text()))
    # The first patch is for the first document. A further one is for the document with its kind and name, which
    # `$patch: delete` removes as in Kustomize, or a document of its own.
    patch, *more = yaml.safe_load_all(body)
    merged = [merge(documents[0], patch), *documents[1:]]
    for document in more:
        same = [
            index for index, other in enumerate(merged) if _identity(other) == _identity(document)
        ]
        if same and document.get("$patch") == "delete":
            del merged[same[0]]
        elif same:
            merged[same[0]] = merge(merged[same[0]], document)
        else:
            merged.append(document)
    return Block(yaml.safe_dump_all(merged, sort_keys=False), given.get("profile"))


def _identity(document: Any) -> tuple[Any, ...]:
    metadata = document["metadata"]
    return document["kind"], metadata.get("namespace"), metadata["name"]


def merge(base: Any, patch: Any) -> Any:
    """Mappings merge by key, lists of named things by name; null removes; the rest is replaced."""
    if isinstance(base, dict) and isinstance(patch, dict):
        made = {**base}
        for key, value in patch.items():
            if value is None:
                made.pop(key, None)
            else:
                made[key] = merge(base.get(key), value)
        return made
    if _named(base) and _named(patch):
        by_name = {one["name"]: one for one in base}
        for one in patch:
            by_name[one["name"]] = merge(by_name.get(one["name"], {}), one)
        return list(by_name.values())
    return patch


def _named(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(one, dict) and "name" in one for one in value)
    )
