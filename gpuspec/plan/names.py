"""Names of the objects that carry pods: a run that cannot be changed needs a new one each time."""

from gpuspec.plan.case import Case
from gpuspec.plan.leaf import Leaf, derived, from_spec
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
    if getattr(case.spec, "run", None) is not None:
        why = f"a run cannot be changed: a new one is another {kind}"
        return from_spec(("spec", "run"), unnamed(case), why)
    name = unnamed(case)
    if template_digest is not None:
        name = f"{case.name}-{template_digest[:DIGEST_LENGTH]}"
    why = f"a run cannot be changed: with another template it is another {kind}, named by its digest"
    return derived("job-name", name, why)


def unnamed(case: Case) -> str:
    """The name of a run that its digest has not named yet, as long as it will be."""
    run = getattr(case.spec, "run", None)
    return f"{case.name}-{UNNAMED if run is None else run}"


def by_digest(name: Leaf) -> bool:
    """Whether a name is that of a run by the digest of its template."""
    return name.origin.row == "job-name"
