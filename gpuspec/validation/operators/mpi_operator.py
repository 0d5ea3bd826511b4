"""MPIJobs.

Source: github.com/kubeflow/mpi-operator v0.8.2, pkg/apis/kubeflow/validation/validation.go, which
the controller calls before it creates anything, and not again until the object changes. Rules of
the linter check that there is one Launcher, and the names of pods.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.validation.apiserver.reading import inner, refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_ROLES = ("spec", "mpiReplicaSpecs")


def roles(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that each role has containers, and that Workers have at least one replica."""
    if not inner(value, *_ROLES):
        yield refused(_ROLES, "it needs a Launcher")
    for role, replica in inner(value, *_ROLES).items():
        if role not in ("Launcher", "Worker") or replica is None:
            continue
        if not inner(replica, "template", "spec").get("containers"):
            yield refused((*_ROLES, role, "template", "spec", "containers"), "it needs a container")
        if (again := replica.get("restartPolicy") or "Never") not in ("Never", "OnFailure"):
            yield refused(
                (*_ROLES, role, "restartPolicy"), f"expected `Never` or `OnFailure`, not `{again}`"
            )
        replicas = replica.get("replicas") or 0
        if role == "Worker" and replicas < 1:
            yield refused(
                (*_ROLES, role, "replicas"),
                f"expected at least 1, not {replicas}",
                "to run without Workers, omit `Worker`",
            )


RELATIONS: dict[str, tuple[Relation, ...]] = {"kubeflow.v2beta1.MPIJob": (roles,)}
