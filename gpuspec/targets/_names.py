"""Names that controllers make for pods: how long they may be, and how they may begin."""

from gpuspec.manifests import Place
from gpuspec.numbers import is_digits
from gpuspec.plan.case import Case, Refused
from gpuspec.plan.names import suffix_of, unnamed
from gpuspec.spec.layout import LONGEST


def refused(case: Case, kind: str, end: str, shape: str) -> list[Refused]:
    """What a `kind` cannot be called: with a digit in front, or longer than its pods' names allow.

    `end`: what the controller puts behind the object's name for the last pod; `shape`: that for any
    pod, for people.
    """
    workload = case.workload
    place = workload.place(("spec", "run") if suffix_of(case) == "-<run>" else ("metadata", "name"))
    found: list[Refused] = []
    if is_digits(unnamed(case)[:1]):
        text = f"the {kind}'s name does not begin with a letter"
        found.append(Refused(text, workload.place(("metadata", "name"))))
    return found + too_long(case, end, shape, place)


def too_long(case: Case, end: str, shape: str, place: Place) -> list[Refused]:
    """Why its pods cannot be called so: they would have too many characters."""
    name = unnamed(case)
    over = len(name + end) - LONGEST
    if over <= 0:
        return []
    text = f"the names of its pods have {len(name + end)} characters, {over} too many"
    hint = f"they are <name>{suffix_of(case)}{shape}, {LONGEST} characters at most"
    return [Refused(text, place, hint)]
