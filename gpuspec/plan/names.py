"""Names of the objects with pods: an immutable run needs a new name each time."""

from gpuspec.plan.decision import Decision, Note, Origin, derived, from_spec
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.target import Target
from gpuspec.spec.layout import DIGEST_LENGTH, UNNAMED


def object_name(resolution: Resolution, target: Target, template_digest: str | None) -> Decision:
    """Return the object's name: the workload's; for a run with its `run`, or a digest of its
    template.

    The digest is that of the object rendered under the name `<name>-00000000`, so that it depends
    on all immutable fields and on no name; None requests that name.
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
    """Return the name of the object with a run's pods, if it is not the run itself.

    It changes with the pods, and so does the run, which refers to it. An apply of changed pods to
    an existing run is so rejected, as if both were one object.
    """
    if by_digest(name):
        return Decision(name.value, "named like the run whose pods it selects", name.origin)
    why = "the run's pods: pods of other runs have another name"
    return derived("job-name", _with(str(name.value), digest or UNNAMED), why)


def _with(name: str, digest: str) -> str:
    return f"{name}-{digest[:DIGEST_LENGTH]}"


def unnamed(resolution: Resolution) -> str:
    """Return the name of a run before its digest is known, with the same length."""
    if is_fixed(resolution):
        return resolution.name
    run = getattr(resolution.spec, "run", None)
    return f"{resolution.name}-{UNNAMED if run is None else run}"


def suffix_of(resolution: Resolution) -> str:
    """Return the part of a run's name after the workload's name, for messages."""
    if is_fixed(resolution):
        return ""
    return "-<digest>" if getattr(resolution.spec, "run", None) is None else "-<run>"


def is_fixed(resolution: Resolution) -> bool:
    """Return whether each run of the workload has the workload's own name."""
    return getattr(resolution.spec, "fixed_name", False)


def notes(resolution: Resolution, target: Target) -> list[Note]:
    """Return a loud note on the disadvantage of a fixed name."""
    if not is_fixed(resolution):
        return []
    text = (
        f"fixedName: a changed template cannot be applied to {target.kind} "
        f"{resolution.name}: delete it first"
    )
    return [Note(text, Origin("spec", ("spec", "fixedName")), loud=True)]


def by_digest(name: Decision) -> bool:
    """Return whether a run's name ends in the digest of its template."""
    return name.origin.row == "job-name"
