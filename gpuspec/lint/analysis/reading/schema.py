"""What schemas say of an object, as rules ask about it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec.structs import replace

from gpuspec.loading.placeholders import blank_name, placeholder
from gpuspec.manifests import Path, format_path
from gpuspec.manifests.values import at
from gpuspec.numbers import read_version
from gpuspec.validation import validate
from gpuspec.validation.custom import custom_kinds

if TYPE_CHECKING:
    from gpuspec.lint.context import Context
    from gpuspec.lint.model import Change, Confidence
    from gpuspec.objects.objects import Object
    from gpuspec.settings.severity import Severity
    from gpuspec.validation import Reason, SchemaViolation
    from gpuspec.validation.custom import CustomKind

_AMOUNTS = ("a quantity", "an integer", "a number", "a boolean")
# Projects that profiles call otherwise than the bundles do.
_INSTALLED = {"kubeflow-training-operator-v1": "training-operator"}


def broken(one: Object, context: Context, *reasons: Reason) -> list[SchemaViolation]:
    """Return what an object's schema does not allow, for some reasons. Paths are from the object.

    A value that nobody has filled in is not among it: a rule of its own says so.
    """
    every = context.violations(one)
    if not every:
        return []
    return [found for found in every if found.reason in reasons and blank(one, found) is None]


def blank(one: Object, found: SchemaViolation) -> str | None:
    """Return the placeholder that a value is wrong for; None for any other reason.

    Where an amount is expected, `NUMBER_OF_GPUS` is one too.
    """
    if found.reason not in ("wrong-type", "wrong-value", "refused"):
        return None
    value = at(one.value, found.path)
    amount = (found.expected or "").startswith(_AMOUNTS)
    return blank_name(value) if amount else placeholder(value)


def stays_taken(one: Object, changes: tuple[Change, ...], context: Context) -> bool:
    """Return whether nothing in a changed object is refused that is not refused as it stands."""
    from gpuspec.lint.fixing.changes import NoFixError, planned

    own = tuple(replace(each, path=each.path[len(one.base) :]) for each in changes)
    try:
        after = planned(one.value, own)[1]
    except NoFixError:
        return False
    before = Counter(map(_refusal, context.violations(one)))
    return (
        not Counter(map(_refusal, validate(after, context.kubernetes, context.locations))) - before
    )


def _refusal(found: SchemaViolation) -> tuple[str, ...]:
    """Return why and in which fields; numbers of items change when one before them goes."""
    return (found.reason, *(step for step in found.path if isinstance(step, str)))


def field(path: Path) -> str:
    """Return a field as people call it: the last word of its path, and what is behind that."""
    if not path:
        return "the object"
    words = (
        at
        for at in range(len(path) - 1, -1, -1)
        if isinstance(step := path[at], str) and step.isidentifier()
    )
    return f"`{format_path(path[next(words, 0) :])}`"


def custom(one: Object) -> CustomKind | None:
    """Return the project that an object's kind is from; None for Kubernetes' own."""
    for known in custom_kinds() if "." in one.group else ():
        if (known.api_version, known.kind) == (one.api_version, one.kind):
            return known
    return None


def _there(known: CustomKind, context: Context) -> str | None:
    """Return the release of a kind's project that a profile says its cluster has."""
    if context.cluster is None:
        return None
    return context.cluster.installed.get(_INSTALLED.get(known.project, known.project))


def _of_project(project: str) -> CustomKind | None:
    return next((known for known in custom_kinds() if known.project == project), None)


def skew(known: CustomKind, context: Context) -> str | None:
    """Return words for a cluster whose release differs from the schema's; None if it does not."""
    there = _there(known, context)
    if there is None or _minor(there) == _minor(known.release):
        return None
    return f"the schema is of {known.project} {known.release}, the profile has {there}"


def certainty(
    one: Object, context: Context, found: SchemaViolation | None = None
) -> tuple[Severity | None, Confidence, str | None]:
    """Return how sure a verdict is: of a custom kind, whether the cluster's release is the
    schema's; of what an operator says, whether it is the one that was read.

    Severity (None: the rule's own), confidence, and a note where there is a doubt.
    """
    if context.is_located(one) and (found is None or not found.outer):
        return None, "certain", None  # whose schema it is knows the cluster
    known = _of_project(found.project) if found is not None and found.project else custom(one)
    if known is None:
        return None, "certain", None
    doubt = skew(known, context)
    if doubt is None or (found is not None and found.outer and _is_read(known, context)):
        return None, "certain", None
    return "warning", "likely", doubt


def _is_read(known: CustomKind, context: Context) -> bool:
    """Return whether the operator that a cluster has is the one whose code was read."""
    from gpuspec.validation.operators import read_in

    return read_version(_there(known, context) or "")[:2] == read_in(known.project)


def unheld(one: Object, context: Context) -> str | None:
    """Return words for a custom kind if nothing states the release of its project on the
    cluster."""
    known = custom(one)
    if known is None or context.is_located(one):
        return None
    if _there(known, context) is not None:
        return None
    return f"the schema is of {known.project} {known.release}: another release may have it"


def notes(*parts: str | None) -> str | None:
    """Return what is there of some sentences, a line each."""
    return "\n".join(part for part in parts if part) or None


def _minor(version: str) -> tuple[str, ...]:
    return tuple(version.removeprefix("v").split(".")[:2])
