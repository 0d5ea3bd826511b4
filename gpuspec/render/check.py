"""Validation of rendered objects; an error is reported at its cause."""

from collections.abc import Callable, Iterator

import msgspec

from gpuspec.manifests import (
    InputError,
    Path,
    Problem,
    dns_1035_label,
    dns_label,
    dns_subdomain,
    format_path,
)
from gpuspec.render.layout import RenderedObject
from gpuspec.render.rendering import Rendering
from gpuspec.render.templates import Templates
from gpuspec.validation import validate


class InternalError(Exception):
    """A fault of gpuspec: a rendered object violates the Kubernetes schema."""


class _Fault(msgspec.Struct, frozen=True):
    path: Path
    message: str
    hint: str | None = None


def check(rendering: Rendering, templates: Templates) -> None:
    """Reject invalid objects.

    Raises `InputError` at the line of the spec, override, profile or user's template that caused
    it, or else `InternalError`.
    """
    problems: list[Problem] = []
    ours: list[str] = []
    # The linter holds overrides and users' templates to every rule, and says it in its own words.
    linted = bool(rendering.plan.overrides) or not rendering.as_shipped
    for obj in rendering.rendered:
        for fault in _faults(obj, rendering.resolution.profile.spec.kubernetes, linted=linted):
            decision = obj.decision(fault.path)
            place = rendering.resolution.place(decision.origin) if decision is not None else None
            field = format_path(fault.path)
            text = f"{obj.title}: {field}{': ' if field else ''}{fault.message}"
            if place is None and templates.shadow is not None:
                place = templates.place(obj.template)
                text = f"{text}, as rendered by the templates of {templates.shadow}"
            if place is not None:
                problems.append(Problem(text, place, fault.hint))
            else:
                ours.append(f"{text} ({obj.template})")
    if problems:
        raise InputError(problems)
    if ours:
        raise InternalError("; ".join(ours))


def _faults(rendered_object: RenderedObject, version: str, *, linted: bool) -> Iterator[_Fault]:
    for violation in validate(rendered_object.value, version):
        # A kind of somebody else's API, which no schema is shipped for.
        if violation.reason != "no-schema" and not (linted and violation.reason == "refused"):
            yield _Fault(violation.path, violation.message, violation.hint)
    # A Service's name is a host name too, of the older and narrower kind.
    rule = dns_1035_label if rendered_object.kind == "Service" else dns_subdomain
    yield from _name(rendered_object, "name", rule)
    metadata = rendered_object.value.get("metadata")
    if isinstance(metadata, dict) and "namespace" in metadata:
        yield from _name(rendered_object, "namespace", dns_label)


def _name(
    rendered_object: RenderedObject, field: str, rule: Callable[[str], str | None]
) -> Iterator[_Fault]:
    path = ("metadata", field)
    value = rendered_object.value_at(path)
    # A wrong type is the schema's to say.
    if value is None:
        yield _Fault(path, "every object needs this field")
    elif isinstance(value, str) and (reason := rule(value)):
        yield _Fault(path, f"{value!r} {reason}")
