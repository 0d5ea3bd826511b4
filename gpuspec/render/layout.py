"""Lay out: a plan becomes objects, and each object's values keep their leaves."""

from dataclasses import dataclass, field
from typing import Any

from gpuspec.manifests import InputError, Path, Problem, read
from gpuspec.plan import Leaf, Plan
from gpuspec.render.encode import Encoder, Provenance, View
from gpuspec.render.targets import template_names
from gpuspec.render.templates import Templates


@dataclass(slots=True)
class Rendered:
    """One rendered object, and the leaf behind each of its paths."""

    value: dict[str, Any]
    template: str
    provenance: Provenance = field(default_factory=dict)

    def leaf(self, path: Path) -> Leaf | None:
        """The leaf that a path, or its nearest parent that has one, came from."""
        for end in range(len(path), -1, -1):
            if path[:end] in self.provenance:
                return self.provenance[path[:end]]
        return None


_SKELETONS: dict[str, Any] = {}
"""Read templates' texts: tokens are numbered in the order they are written, so plans of the same
form give the same text, and a thousand specs are read once."""


def lay_out(plan: Plan, templates: Templates) -> list[Rendered]:
    """The plan's objects in apply order.

    Raises `InputError` when a template gives something that is no object.
    """
    return [_object(name, plan, templates) for name in template_names(plan)]


def lay_out_one(name: str, plan: Plan, templates: Templates) -> Rendered:
    """The object of one template alone."""
    return _object(name, plan, templates)


def _object(name: str, plan: Plan, templates: Templates) -> Rendered:
    encoder = Encoder()
    text = templates.lay_out(name, View(plan, encoder))
    skeleton = _SKELETONS.get(text)
    if skeleton is None:
        skeleton = _SKELETONS[text] = _read(text, name)
    made = Rendered({}, name)
    try:
        made.value = encoder.substitute(skeleton, made.provenance)
    except ValueError as error:
        raise InputError([Problem(f"template {name}: {error}")]) from None
    return made


def _read(text: str, name: str) -> dict[str, Any]:
    try:
        documents = read(text, name)
    except InputError as error:
        problems = [Problem(f"template: {p.message}", p.place, p.hint) for p in error.problems]
        raise InputError(problems) from None
    if len(documents) != 1 or not isinstance(documents[0].value, dict):
        raise InputError([Problem(f"template {name} must give one object")])
    return documents[0].value
