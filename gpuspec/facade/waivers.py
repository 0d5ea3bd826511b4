"""Overrides and templates that weaken Pod Security, and the reasons in the spec."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.enumeration import listed
from gpuspec.lint.analysis.pod_security import sentence, violations
from gpuspec.lint.analysis.pod_security.waivers import waiver_of
from gpuspec.manifests import InputError, Problem
from gpuspec.numbers import read_whole
from gpuspec.objects.objects import Object
from gpuspec.plan import Note, Origin
from gpuspec.plan.security import OF_THE_POD, waiver_path
from gpuspec.render.overrides import both

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.lint.analysis.pod_security import LevelViolation
    from gpuspec.manifests import Path
    from gpuspec.objects.objects import Pod
    from gpuspec.plan import Decision
    from gpuspec.render import Rendering
    from gpuspec.render.layout import RenderedObject


class _Weakening(msgspec.Struct, frozen=True):
    """A requirement of Pod Security that one object does not meet, and the waiver for it."""

    waiver: str
    """The field of `waivers`."""
    said: str
    made: RenderedObject
    by: Decision | None
    """The decision that caused it."""
    added: str = ""
    """The containers that the override adds and that do not meet it, as a phrase."""

    @property
    def is_overridden(self) -> bool:
        """Whether an override caused it, and not the spec's user, the image or a template."""
        return self.by is not None and self.by.origin.kind == "override"


def with_reasons(rendering: Rendering) -> Rendering:
    """Return the rendering with a note for each unused waiver.

    A note names each requirement that a template violates. Raises `InputError` for an override that
    violates one without a reason. Violations of the namespace's level are left to the linter.
    """
    waivers = rendering.resolution.spec.waivers
    weakenings = list(_taken(rendering))
    lacking = [weakening for weakening in weakenings if getattr(waivers, weakening.waiver) is None]
    problems = [_problem(rendering, weakening) for weakening in lacking if weakening.is_overridden]
    if problems:
        raise InputError(problems)
    needed = {weakening.waiver for weakening in weakenings}
    notes = [*map(_of_template, lacking)] if not rendering.as_shipped else []
    notes += (
        _in_vain(field)
        for field in OF_THE_POD
        if getattr(waivers, field) is not None and field not in needed
    )
    plan = msgspec.structs.replace(rendering.plan, notes=(*rendering.plan.notes, *notes))
    return msgspec.structs.replace(rendering, plan=plan)


def _taken(rendering: Rendering) -> Iterator[_Weakening]:
    resolution = rendering.resolution
    minor = read_whole(resolution.profile.spec.kubernetes.partition(".")[2]) or 0
    enforced = resolution.permit.level
    for obj in (rendered_object for whole in rendering.rendered for rendered_object in both(whole)):
        for pod in Object(obj.value).pods:
            groups: dict[str, list[LevelViolation]] = {}
            for violation in violations(pod, minor):
                if enforced != "restricted" and enforced != violation.level:
                    groups.setdefault(waiver_of(violation).replace("-", "_"), []).append(violation)
            for waiver, group in groups.items():
                by, names = (
                    obj.decision(group[0].path),
                    {violation.container for violation in group},
                )
                yield _Weakening(waiver, sentence(group, pod), obj, by, _added(obj, pod, names))
            yield from _writable(obj, pod)


def _writable(rendered_object: RenderedObject, pod: Pod) -> Iterator[_Weakening]:
    """Yield writable root file systems; for a container that an override adds, only if it sets the
    field."""
    for container in pod.every:
        path: Path = container.path("securityContext", "readOnlyRootFilesystem")
        read_only = container.security.get("readOnlyRootFilesystem")
        if read_only is False or (read_only is None and path in rendered_object.provenance):
            fault_text = f"`readOnlyRootFilesystem` is not `true` in `{container.name}`"
            yield _Weakening(
                "writable_root", fault_text, rendered_object, rendered_object.decision(path)
            )


def _added(rendered_object: RenderedObject, pod: Pod, lacking: set[str | None]) -> str:
    """Return the added container, if its name may be a misspelling; empty if the override adds
    none."""
    mine: list[str] = []
    theirs: list[str] = []
    for container in pod.every:
        by = rendered_object.provenance.get(container.path())
        is_new = by is not None and by.origin.kind == "override"
        (mine if is_new else theirs).append(f"`{container.name}`")
    if not any(f"`{name}`" in mine for name in lacking):
        return ""
    return f"it adds {listed(mine)} next to {listed(theirs)}: " if theirs else ""


def _problem(rendering: Rendering, weakening: _Weakening) -> Problem:
    field = waiver_path(weakening.waiver)[-1]
    text = f"override of {weakening.made.title}: {weakening.added}{weakening.said}, which weakens the rendered object"
    hint = f"undo it, or give the reason in `waivers.{field}`"
    if weakening.waiver == "root":
        hint += ", with a `user.uid` unless all processes are to be root"
    place = rendering.resolution.place(weakening.by.origin) if weakening.by else None
    return Problem(text, place, hint)


def _of_template(weakening: _Weakening) -> Note:
    field = waiver_path(weakening.waiver)[-1]
    text = f"your templates weaken {weakening.made.title}: {weakening.said}; give the reason in `waivers.{field}`"
    return Note(text, Origin("option", row="--templates"), loud=True)


def _in_vain(field: str) -> Note:
    name, path = field.replace("_", "-"), waiver_path(field)
    return Note(f"waiver {name} is not needed: nothing uses it", Origin("spec", path), True)
