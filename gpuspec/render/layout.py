"""Layout: a plan becomes objects, whose values keep their decisions."""

from typing import Any

import msgspec

from gpuspec.manifests import InputError, Path, Problem, read
from gpuspec.plan import Decision, Plan
from gpuspec.plan.facets import PARTS, ObjectPlan
from gpuspec.render.encode import TOKEN, Encoder, Provenance
from gpuspec.render.templates import Templates
from gpuspec.render.view import ENDING, View

_SHOWN = 100
"""The number of characters shown of an invalid line."""


class RenderedObject(msgspec.Struct):
    """A rendered object, with the decision behind each path."""

    value: dict[str, Any]
    template: str
    provenance: Provenance = msgspec.field(default_factory=dict)
    inside: Path = ()
    """The path of the object that it wraps; empty if it wraps none."""

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
        """Kind and name, for messages."""
        return f"{self.kind} {self.name}"

    def wrapped(self) -> "RenderedObject | None":
        """Return the wrapped object as an object of its own; None if there is none."""
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
        """Replace the wrapped object."""
        end, above = len(self.inside), self.value_at(self.inside[:-1])
        above[self.inside[-1]] = inner.value
        decisions = {
            p: decision for p, decision in self.provenance.items() if p[:end] != self.inside
        }
        inside = {(*self.inside, *path): decision for path, decision in inner.provenance.items()}
        self.provenance = {**decisions, **inside}

    def decision(self, path: Path) -> Decision | None:
        """Return the decision behind a path, or behind its nearest parent with one."""
        for end in range(len(path), -1, -1):
            if path[:end] in self.provenance:
                return self.provenance[path[:end]]
        return None

    def value_at(self, path: Path) -> Any:
        """Return the value at a path; None if an override deleted it."""
        value: Any = self.value
        for step in path:
            try:
                value = value[step]
            except (KeyError, IndexError, TypeError):
                return None
        return value


def lay_out(plan: Plan, templates: Templates) -> list[RenderedObject]:
    """Return the plan's objects in apply order.

    Raises `InputError` for an invalid template, and for output that is not an object.
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
    """Return one object, with its wrapper if it has one. Raises as `lay_out` does."""
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
    """Return the variables of a template: the plan's parts by name, common ones and the object's
    own, which come first.

    The inputs of the plan are left out, because they contain plain values, and so are the steps
    after layout.
    """
    parts: dict[str, Any] = dict.fromkeys(PARTS)
    parts |= {"target": plan.target, "meta": plan.meta, "pod": plan.pod, "roles": plan.roles}
    for visible in (*plan.objects, object_plan):
        parts |= visible.parts
    return parts


def _skeleton(text: str) -> dict[str, Any]:
    """Parse a template's text as YAML. Raises `ValueError` with the problem."""
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
    """Return a problem with its line in the text, which is not the line in the template."""
    if problem.place is None:
        return problem.message
    lines = text.splitlines()
    line = TOKEN.sub("…", lines[min(problem.place.line, len(lines)) - 1]) if lines else ""
    line = line.strip()
    cut = line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
    return f"{problem.message}, where it renders `{cut}`"
