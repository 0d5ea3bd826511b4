"""Names of the objects that carry pods: a run that cannot be changed needs a new one each time."""

from gpuspec.plan.decision import Decision, Note, Origin, derived, from_spec
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.target import Target
from gpuspec.spec.layout import DIGEST_LENGTH, UNNAMED


def object_name(resolution: Resolution, target: Target, template_digest: str | None) -> Decision:
    """Return the object's name: the workload's; of a run with its `run`, or a digest of its
    template.

    The digest is of the object rendered under the name `<name>-00000000`, so that it depends on all
    that is immutable and on no name; None asks for that name.
    """
    if not target.once:
        return from_spec(("metadata", "name"), resolution.name, target.named)
    kind = target.kind
    if is_fixed(resolution):
        why = f"fixed: delete the {kind} before you apply a changed template"
        return from_spec(("spec", "fixedName"), resolution.name, why)
    if getattr(resolution.spec, "run", None) is not None:
        why = f"a run is immutable: a new run is another {kind}"
        return from_spec(("spec", "run"), unnamed(resolution), why)
    name = unnamed(resolution)
    if template_digest is not None:
        name = _with(resolution.name, template_digest)
    why = f"a run is immutable: another template is another {kind}, named by its digest"
    return derived("job-name", name, why)


def holder_name(name: Decision, digest: str | None) -> Decision:
    """Return the name of the object that a run's pods lie in, apart from the one that is the run.

    It changes with the pods, and the run with it, which names it: so an apply of other pods to a run
    is refused, as where they lie in one object.
    """
    if by_digest(name):
        return Decision(name.value, "named like the run whose pods it selects", name.origin)
    why = "the run's pods: pods of other runs have another name"
    return derived("job-name", _with(str(name.value), digest or UNNAMED), why)


def _with(name: str, digest: str) -> str:
    return f"{name}-{digest[:DIGEST_LENGTH]}"


def unnamed(resolution: Resolution) -> str:
    """Return the name of a run that its digest has not named yet, as long as it will be."""
    if is_fixed(resolution):
        return resolution.name
    run = getattr(resolution.spec, "run", None)
    return f"{resolution.name}-{UNNAMED if run is None else run}"


def suffix_of(resolution: Resolution) -> str:
    """Return what stands behind the workload's name in that of a run, for people."""
    if is_fixed(resolution):
        return ""
    return "-<digest>" if getattr(resolution.spec, "run", None) is None else "-<run>"


def is_fixed(resolution: Resolution) -> bool:
    """Return whether each run of the workload has the workload's own name."""
    return getattr(resolution.spec, "fixed_name", False)


def notes(resolution: Resolution, target: Target) -> list[Note]:
    """Return a loud word of what a fixed name costs."""
    if not is_fixed(resolution):
        return []
    text = (
        f"fixedName: a changed template cannot be applied to {target.kind} "
        f"{resolution.name}: delete it first"
    )
    return [Note(text, Origin("spec", ("spec", "fixedName")), loud=True)]


def by_digest(name: Decision) -> bool:
    """Return whether a name is that of a run by the digest of its template."""
    return name.origin.row == "job-name"
