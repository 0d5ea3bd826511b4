"""The whole way from a workload and a profile to valid objects."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from gpuspec.manifests import InputError, Path, Place, Problem, format_path
from gpuspec.plan import Case, Decision, Leaf, Note, Plan, resolve
from gpuspec.render.layout import Rendered, lay_out, lay_out_one
from gpuspec.render.overrides import apply_overrides
from gpuspec.render.templates import Templates
from gpuspec.validation import validate


@dataclass(frozen=True, slots=True)
class Rendering:
    """What one workload became on one profile."""

    case: Case
    plan: Plan
    rendered: tuple[Rendered, ...]

    @property
    def kind(self) -> str:
        """The workload's kind."""
        return self.case.workload.kind

    @property
    def name(self) -> str:
        """The workload's name."""
        return self.case.name

    @property
    def profile_name(self) -> str:
        """The profile's name."""
        return self.case.profile.name

    @property
    def objects(self) -> list[dict[str, Any]]:
        """The Kubernetes objects in apply order."""
        return [made.value for made in self.rendered]

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a person should know: assumptions, pools left out, what was not rendered."""
        return self.plan.notes

    def decisions(self) -> list[Decision]:
        """Every field that was decided, in the order of the objects, with reason and origin."""
        return [
            Decision(
                object=title(made),
                path=format_path(path),
                value=leaf.value if leaf.origin.kind != "override" else value_at(made.value, path),
                reason=leaf.reason,
                origin=str(leaf.origin),
                place=_text(self.case.place(leaf.origin)),
            )
            for made in self.rendered
            for path, leaf in made.provenance.items()
        ]


def compile_case(case: Case, templates: Templates) -> Rendering:
    """Plan, lay out, override and validate.

    Raises `InputError` when an override or a template is wrong, `Refusal` when the profile cannot
    carry the workload, `InternalError` when what we made ourselves is not valid.
    """
    plan = _named(case, templates)
    objects = lay_out(plan, templates)
    apply_overrides(plan, objects)
    rendering = Rendering(case, plan, tuple(objects))
    _validate(rendering)
    return rendering


class InternalError(Exception):
    """Our own fault: an object that we made does not satisfy the Kubernetes schema."""


def _named(case: Case, templates: Templates) -> Plan:
    """The plan; a Job without a run is named by a digest of its template, laid out unnamed."""
    plan = resolve(case, templates.digest)
    if plan.job is None or plan.cron is not None or not _by_digest(plan):
        return plan
    spec = lay_out_one("job.yaml.j2", plan, templates).value.get("spec", {})
    text = json.dumps(spec, sort_keys=True, separators=(",", ":"))
    return resolve(case, templates.digest, hashlib.sha256(text.encode()).hexdigest())


def _by_digest(plan: Plan) -> bool:
    name = plan.job.name if plan.job else None
    return isinstance(name, Leaf) and name.origin.row == "job-name"


def _validate(rendering: Rendering) -> None:
    """Refuse what is not valid, at the line of the spec, override or profile it came from."""
    problems: list[Problem] = []
    ours: list[str] = []
    version = rendering.case.profile.spec.kubernetes
    for made in rendering.rendered:
        for found in validate(made.value, version):
            if found.reason == "no-schema":
                continue
            leaf = made.leaf(found.path)
            text = f"{title(made)}: {found.message}"
            place = rendering.case.place(leaf.origin) if leaf is not None else None
            if place is not None:
                problems.append(Problem(text, place, found.hint))
            else:
                ours.append(f"{text} ({made.template})")
    if problems:
        raise InputError(problems)
    if ours:
        raise InternalError("; ".join(ours))


def title(made: Rendered) -> str:
    """Kind and name of an object, for people."""
    return f"{made.value.get('kind')} {made.value.get('metadata', {}).get('name')}"


def value_at(value: Any, path: Path) -> Any:
    """The value at a path; None where an override deleted it."""
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _text(place: Place | None) -> str | None:
    return str(place) if place else None
