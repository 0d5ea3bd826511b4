"""Labels and annotations of the spec for pods only."""

from gpuspec.manifests import Path
from gpuspec.plan import attachment
from gpuspec.plan.decision import Decision, Note, Origin, from_spec
from gpuspec.plan.resolution import Resolution
from gpuspec.spec.mpi import MpiLauncher
from gpuspec.spec.roles import Role

GIVEN = "the spec's, for pods only"


def labels(
    resolution: Resolution, role: Role | MpiLauncher | None = None, path: Path = ("spec",)
) -> dict[str, Decision]:
    """Return labels of the pods of a workload; for a role, with the role's own."""
    decisions = _each(resolution.spec.pod_labels, ("spec", "podLabels"))
    return decisions | _each(role.pod_labels, (*path, "podLabels")) if role else decisions


def annotations(
    resolution: Resolution, role: Role | MpiLauncher | None = None, path: Path = ("spec",)
) -> dict[str, Decision]:
    """Return annotations of the pods of a workload; for a role, with the role's own."""
    decisions = _each(resolution.spec.pod_annotations, ("spec", "podAnnotations"))
    return decisions | _each(role.pod_annotations, (*path, "podAnnotations")) if role else decisions


def notes(resolution: Resolution) -> list[Note]:
    """Return a loud note if an annotation replaces the one that attaches the pods to the fabric."""
    return [
        Note(
            f"podAnnotations: {key} replaces the fabric's own, {ours.value}",
            Origin("spec", ("spec", "podAnnotations", key)),
            loud=True,
        )
        for key, ours in attachment.annotations(resolution).items()
        if isinstance(ours, Decision)
        and resolution.spec.pod_annotations.get(key, ours.value) != ours.value
    ]


def _each(entries: dict[str, str], path: Path) -> dict[str, Decision]:
    return {key: from_spec((*path, key), value, GIVEN) for key, value in entries.items()}
