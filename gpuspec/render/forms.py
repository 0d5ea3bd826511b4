"""Forms: the output of a template for all plans that give it the same answers.

A template can only ask which parts of a plan exist, which are empty and how long lists are, and it
writes tokens. Its text therefore depends only on the answers, and is laid out and parsed once for
all plans that give the same ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.render.view import answer, part_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gpuspec.render.encode import Encoder

Steps = tuple[str | int, ...]
"""The path of a part of the plan."""

_MOST = 16
"""The number of cached forms per template. Shipped templates have one, or one per number of
containers."""


class Question(msgspec.Struct, frozen=True, array_like=True):
    """A template's question about a part of the plan, with the answer: see `view.answer`."""

    path: Steps
    what: str
    name: str
    answer: bool | int | None


class TemplateForm(msgspec.Struct, frozen=True, array_like=True):
    """The output of a template for all plans that give these answers."""

    asked: tuple[Question, ...]
    written: tuple[Steps, ...]
    """The parts of the plan behind its tokens, in order."""
    skeleton: dict[str, Any]

    def parts(self, plan: dict[str, Any]) -> list[Any] | None:
        """Return the parts of a plan behind the tokens; None if the plan gives other answers."""
        try:
            for question in self.asked:
                if (
                    answer(_at(plan, question.path), question.what, question.name)
                    != question.answer
                ):
                    return None
            return [_at(plan, path) for path in self.written]
        except (AttributeError, LookupError, TypeError):  # it has no such part
            return None


class Forms:
    """The known forms of a set of templates."""

    def __init__(self, shipped: Callable[[str], list[list[Any]]] = lambda _: []) -> None:
        """Create an empty cache. `shipped` returns the forms of a template that ship with the
        package, as plain data."""
        self._shipped = shipped
        self._known: dict[str, list[TemplateForm]] = {}

    def find(self, template: str, plan: dict[str, Any]) -> tuple[dict[str, Any], list[Any]] | None:
        """Return the skeleton of a template for a plan and the parts behind its tokens; None if
        unknown."""
        for form in self.of(template):
            parts = form.parts(plan)
            if parts is not None:
                return form.skeleton, parts
        return None

    def learn(self, template: str, encoder: Encoder, skeleton: dict[str, Any]) -> None:
        """Add the output of a template, with its questions."""
        if encoder.compared:
            return  # another value may decide otherwise
        template_forms = self.of(template)
        template_forms.insert(
            0, TemplateForm(tuple(_needed(encoder)), tuple(encoder.written), skeleton)
        )
        del template_forms[_MOST:]

    def of(self, template: str) -> list[TemplateForm]:
        """Return the forms of one template."""
        if template not in self._known:
            self._known[template] = [_form(*plain_form) for plain_form in self._shipped(template)]
        return self._known[template]


def _form(
    plain_questions: list[Any], written_paths: list[Any], skeleton: dict[str, Any]
) -> TemplateForm:
    """Return a form from plain data. It is decoded by hand, because a decoder does not pay off for
    so few."""
    questions = tuple(Question(tuple(path), *rest) for path, *rest in plain_questions)
    return TemplateForm(questions, tuple(map(tuple, written_paths)), skeleton)


def _needed(encoder: Encoder) -> Iterator[Question]:
    """Yield the questions, without those about the existence of parts that are read or written
    anyway."""
    questions = [Question(*question, reply) for question, reply in encoder.asked.items()]
    looked = (
        *encoder.written,
        *(question.path for question in questions if question.what != "has"),
    )
    reached = {path[:end] for path in looked for end in range(len(path) + 1)}
    for question in questions:
        if question.what != "has" or (*question.path, question.name) not in reached:
            yield question


def _at(plan: Any, path: Steps) -> Any:
    for step in path:
        plan = part_of(plan, step)
    return plan
