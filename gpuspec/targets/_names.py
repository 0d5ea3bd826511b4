"""Names that controllers make for pods: how long they may be, and how they may begin."""

from gpuspec.numbers import is_digits
from gpuspec.plan.case import Case, Refused
from gpuspec.plan.names import suffix_of, unnamed
from gpuspec.spec.layout import LONGEST


def refused(case: Case, kind: str, end: str, shape: str) -> list[Refused]:
    """What a `kind` cannot be called: with a digit in front, or longer than its pods' names allow.

    `end`: what the controller puts behind the object's name for the last pod; `shape`: that for any
    pod, for people.
    """
    name, own, workload = unnamed(case), suffix_of(case), case.workload
    place = workload.place(("spec", "run") if own == "-<run>" else ("metadata", "name"))
    found: list[Refused] = []
    if is_digits(name[:1]):
        text = f"the {kind}'s name does not begin with a letter"
        found.append(Refused(text, workload.place(("metadata", "name"))))
    if (over := len(name + end) - LONGEST) > 0:
        text = f"the names of its pods have {len(name + end)} characters, {over} too many"
        hint = f"they are <name>{own}{shape}, {LONGEST} characters at most"
        found.append(Refused(text, place, hint))
    return found
