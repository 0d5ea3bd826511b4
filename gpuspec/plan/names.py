"""Names of the objects that carry pods: a run that cannot be changed needs a new one each time."""

from gpuspec.plan.case import Case
from gpuspec.plan.leaf import Leaf, Note, Origin, derived, from_spec
from gpuspec.plan.target import Target
from gpuspec.spec.layout import DIGEST_LENGTH, UNNAMED


def object_name(case: Case, target: Target, template_digest: str | None) -> Leaf:
    """The object's name: the workload's; of a run with its `run`, or a digest of its template.

    The digest is of the object rendered under the name `<name>-00000000`, so that it depends on all
    that is immutable and on no name; None asks for that name.
    """
    if not target.once:
        return from_spec(("metadata", "name"), case.name, target.named)
    kind = target.kind
    if is_fixed(case):
        why = f"fixed: before a changed template is applied, the {kind} has to be deleted"
        return from_spec(("spec", "fixedName"), case.name, why)
    if getattr(case.spec, "run", None) is not None:
        why = f"a run cannot be changed: a new one is another {kind}"
        return from_spec(("spec", "run"), unnamed(case), why)
    name = unnamed(case)
    if template_digest is not None:
        name = _with(case.name, template_digest)
    why = (
        f"a run cannot be changed: with another template it is another {kind}, named by its digest"
    )
    return derived("job-name", name, why)


def holder_name(name: Leaf, digest: str | None) -> Leaf:
    """The name of the object that a run's pods lie in, apart from the one that is the run.

    It changes with the pods, and the run with it, which names it: so an apply of other pods to a run
    is refused, as where they lie in one object.
    """
    if by_digest(name):
        return Leaf(name.value, "named like the run, whose pods it has", name.origin)
    why = "the run's pods: others have another name, and the run cannot change to it"
    return derived("job-name", _with(str(name.value), digest or UNNAMED), why)


def _with(name: str, digest: str) -> str:
    return f"{name}-{digest[:DIGEST_LENGTH]}"


def unnamed(case: Case) -> str:
    """The name of a run that its digest has not named yet, as long as it will be."""
    if is_fixed(case):
        return case.name
    run = getattr(case.spec, "run", None)
    return f"{case.name}-{UNNAMED if run is None else run}"


def suffix_of(case: Case) -> str:
    """What stands behind the workload's name in that of a run, for people."""
    if is_fixed(case):
        return ""
    return "-<digest>" if getattr(case.spec, "run", None) is None else "-<run>"


def is_fixed(case: Case) -> bool:
    """Whether each run of the workload has the workload's own name."""
    return getattr(case.spec, "fixed_name", False)


def notes(case: Case, target: Target) -> list[Note]:
    """A loud word of what a fixed name costs."""
    if not is_fixed(case):
        return []
    text = (
        f"fixedName: a changed template cannot be applied to {target.kind} {case.name}: delete it "
        "first, or the apply is refused"
    )
    return [Note(text, Origin("spec", ("spec", "fixedName")), loud=True)]


def by_digest(name: Leaf) -> bool:
    """Whether a name is that of a run by the digest of its template."""
    return name.origin.row == "job-name"
