"""MPIJobs.

Source: github.com/kubeflow/mpi-operator v0.8.2, pkg/apis/kubeflow/validation/validation.go, which the controller asks
before it makes anything, and never again until the object changes. That there is one Launcher, and how pods
are called, is said by rules of the linter.
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
    """Check that each role has containers, and Workers are some where they are counted."""
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
                "without Workers, leave out `Worker`",
            )


RELATIONS: dict[str, tuple[Relation, ...]] = {"kubeflow.v2beta1.MPIJob": (roles,)}
