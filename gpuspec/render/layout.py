"""Lay out: a plan becomes objects, and each object's values keep their decisions."""

from typing import Any

import msgspec

from gpuspec.manifests import InputError, Path, Problem, read
from gpuspec.plan import Decision, Plan
from gpuspec.plan.facets import PARTS, ObjectPlan
from gpuspec.render.encode import TOKEN, Encoder, Provenance
from gpuspec.render.templates import Templates
from gpuspec.render.view import ENDING, View

_SHOWN = 100
"""Characters of a line that is wrong; nobody reads more of it."""


class RenderedObject(msgspec.Struct):
    """One rendered object, and the decision behind each of its paths."""

    value: dict[str, Any]
    template: str
    provenance: Provenance = msgspec.field(default_factory=dict)
    inside: Path = ()
    """Where another object lies in it; empty where none does."""

    @property
    def kind(self) -> str:
        """The object's kind."""
        return str(self.value.get("kind"))

    @property
    def name(self) -> str:
        """The object's name."""
        metadata = self.value.get("metadata")
        return str(metadata.get("name")) if isinstance(metadata, dict) else "None"

    @property
    def title(self) -> str:
        """Kind and name, for people."""
        return f"{self.kind} {self.name}"

    def wrapped(self) -> "RenderedObject | None":
        """Return the object that lies in it, seen alone; None where none does."""
        if not self.inside:
            return None
        end = len(self.inside)
        decisions = {
            path[end:]: decision
            for path, decision in self.provenance.items()
            if path[:end] == self.inside
        }
        return RenderedObject(self.value_at(self.inside), self.template, decisions)

    def put(self, inner: "RenderedObject") -> None:
        """Have another object lie in it, in place of the one that does."""
        end, above = len(self.inside), self.value_at(self.inside[:-1])
        above[self.inside[-1]] = inner.value
        decisions = {
            p: decision for p, decision in self.provenance.items() if p[:end] != self.inside
        }
        inside = {(*self.inside, *path): decision for path, decision in inner.provenance.items()}
        self.provenance = {**decisions, **inside}

    def decision(self, path: Path) -> Decision | None:
        """Return the decision that a path, or its nearest parent that has one, came from."""
        for end in range(len(path), -1, -1):
            if path[:end] in self.provenance:
                return self.provenance[path[:end]]
        return None

    def value_at(self, path: Path) -> Any:
        """Return the value at a path; None where there is none, because an override deleted it."""
        value: Any = self.value
        for step in path:
            try:
                value = value[step]
            except (KeyError, IndexError, TypeError):
                return None
        return value


def lay_out(plan: Plan, templates: Templates) -> list[RenderedObject]:
    """Return the plan's objects in apply order.

    Raises `InputError` when a template is wrong or gives something that is no object.
    """
    rendered_objects = [lay_out_one(obj, plan, templates) for obj in plan.objects]
    if not plan.beside:
        return rendered_objects
    # Imported only for plans that have others beside them: start-up counts.
    from gpuspec.kinds.table import rank_of

    more = [
        lay_out_one(obj, neighbor, templates)
        for neighbor in plan.beside
        for obj in neighbor.objects
    ]

    def rank(obj: RenderedObject) -> tuple[int, int, int]:
        return rank_of(str(obj.value.get("apiVersion")).rpartition("/")[0], obj.kind)

    return sorted((*rendered_objects, *more), key=rank)


def lay_out_one(object_plan: ObjectPlan, plan: Plan, templates: Templates) -> RenderedObject:
    """Return one object alone, with what holds it. Raises as `lay_out` does."""
    rendered_object = _lay_out(object_plan, plan, templates)
    if object_plan.around is None:
        return rendered_object
    around = _lay_out(object_plan.around, plan, templates)
    where: Path = ("spec", "components", 0, "template")
    value = {**around.value, "spec": {"components": [{"template": rendered_object.value}]}}
    inside = {(*where, *path): decision for path, decision in rendered_object.provenance.items()}
    return RenderedObject(value, rendered_object.template, {**around.provenance, **inside}, where)


def _lay_out(object_plan: ObjectPlan, plan: Plan, templates: Templates) -> RenderedObject:
    name, parts = f"{object_plan.template}.yaml{ENDING}", _shown(object_plan, plan)
    rendered_object = RenderedObject({}, name)
    form = templates.forms.find(name, parts)
    encoder = Encoder(form[1] if form else None)
    text = "" if form else templates.lay_out(name, View(parts, encoder))
    try:
        skeleton = form[0] if form else _skeleton(text)
        rendered_object.value = encoder.substitute(skeleton, rendered_object.provenance)
    except ValueError as error:
        problem = Problem(f"template {name}: {error}", templates.place(name))
        raise InputError([problem]) from None
    if not form:
        templates.forms.learn(name, encoder, skeleton)
    return rendered_object


def _shown(object_plan: ObjectPlan, plan: Plan) -> dict[str, Any]:
    """Return what templates see: the plan's parts by name, those of all objects, the object's own
    first.

    Not what the plan was made from, which holds values without leaves, nor what becomes of the
    objects afterwards.
    """
    parts: dict[str, Any] = dict.fromkeys(PARTS)
    parts |= {"target": plan.target, "meta": plan.meta, "pod": plan.pod, "roles": plan.roles}
    for visible in (*plan.objects, object_plan):
        parts |= visible.parts
    return parts


def _skeleton(text: str) -> dict[str, Any]:
    """Return a template's text as YAML. Raises `ValueError` with what is wrong with it."""
    try:
        documents = read(text, "")
    except InputError as error:
        raise ValueError("; ".join(_said(problem, text) for problem in error.problems)) from None
    if len(documents) != 1 or not isinstance(documents[0].value, dict):
        content = f"{len(documents)} documents" if len(documents) != 1 else "something else"
        raise ValueError(f"it must render one object, but renders {content}")
    for key in ("apiVersion", "kind", "metadata"):
        if key not in documents[0].value:
            raise ValueError(f"it renders no object: `{key}` is missing")
    return documents[0].value


def _said(problem: Problem, text: str) -> str:
    """Return a problem with the text, and its line there, which is not the template's."""
    if problem.place is None:
        return problem.message
    lines = text.splitlines()
    line = TOKEN.sub("…", lines[min(problem.place.line, len(lines)) - 1]) if lines else ""
    line = line.strip()
    cut = line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
    return f"{problem.message}, where it renders `{cut}`"
