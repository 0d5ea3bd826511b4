"""Names that controllers make for pods: their longest length and their first character."""

from gpuspec.manifests import Place
from gpuspec.numbers import is_digits
from gpuspec.plan.names import suffix_of, unnamed
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.spec.layout import LONGEST


def refused(resolution: Resolution, kind: str, end: str, shape: str) -> list[RefusalReason]:
    """Return refusals for a name of a `kind` that begins with a digit, or is longer than its pods'
    names allow.

    `end`: the suffix that the controller adds to the object's name for the last pod; `shape`: its
    pattern for any pod, for people.
    """
    workload = resolution.workload
    place = workload.place(
        ("spec", "run") if suffix_of(resolution) == "-<run>" else ("metadata", "name")
    )
    refusal_reasons: list[RefusalReason] = []
    if is_digits(unnamed(resolution)[:1]):
        text = f"the {kind}'s name does not begin with a letter"
        refusal_reasons.append(RefusalReason(text, workload.place(("metadata", "name"))))
    return refusal_reasons + too_long(resolution, end, shape, place)


def too_long(resolution: Resolution, end: str, shape: str, place: Place) -> list[RefusalReason]:
    """Return the refusal of a name that makes its pods' names too long."""
    name = unnamed(resolution)
    over = len(name + end) - LONGEST
    if over <= 0:
        return []
    text = f"the names of its pods have {len(name + end)} characters, {over} too many"
    hint = f"they are <name>{suffix_of(resolution)}{shape}, {LONGEST} characters at most"
    return [RefusalReason(text, place, hint)]
