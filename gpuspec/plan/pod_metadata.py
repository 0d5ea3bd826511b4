"""Labels and annotations that the spec has for pods alone."""

from gpuspec.manifests import Path
from gpuspec.plan import attachment
from gpuspec.plan.case import Case
from gpuspec.plan.leaf import Leaf, Note, Origin, from_spec
from gpuspec.spec.mpi import MpiLauncher
from gpuspec.spec.roles import Role

GIVEN = "the spec's, of pods alone"


def labels(
    case: Case, role: Role | MpiLauncher | None = None, path: Path = ("spec",)
) -> dict[str, Leaf]:
    """Labels of the pods of a workload; of one of its roles with that role's own."""
    found = _each(case.spec.pod_labels, ("spec", "podLabels"))
    return found | _each(role.pod_labels, (*path, "podLabels")) if role else found


def annotations(
    case: Case, role: Role | MpiLauncher | None = None, path: Path = ("spec",)
) -> dict[str, Leaf]:
    """Annotations of the pods of a workload; of one of its roles with that role's own."""
    found = _each(case.spec.pod_annotations, ("spec", "podAnnotations"))
    return found | _each(role.pod_annotations, (*path, "podAnnotations")) if role else found


def notes(case: Case) -> list[Note]:
    """A loud word where an annotation takes the place of what attaches the pods to the fabric."""
    return [
        Note(
            f"podAnnotations: {key} takes the place of the fabric's own, {ours.value}",
            Origin("spec", ("spec", "podAnnotations", key)),
            loud=True,
        )
        for key, ours in attachment.annotations(case).items()
        if isinstance(ours, Leaf) and case.spec.pod_annotations.get(key, ours.value) != ours.value
    ]


def _each(given: dict[str, str], path: Path) -> dict[str, Leaf]:
    return {key: from_spec((*path, key), value, GIVEN) for key, value in given.items()}
