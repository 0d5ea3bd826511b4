"""What operators ask of their kinds beside their schemas: one file for each project.

What can be said of one field, or of which fields a map has, stands in `schemas/operators/`. What is said
here of a kind is read in the operator's webhooks or, where it has none, in what its controllers check
before they make anything; `tests/refusals/operators` holds it against that code.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from gpuspec.numbers import read_version
from gpuspec.validation.walk import is_absent

if TYPE_CHECKING:
    from gpuspec.manifests import Path
    from gpuspec.validation.apiserver.reading import Relation
    from gpuspec.validation.nodes import SchemaNode
    from gpuspec.validation.walk import SchemaFault

OPERATORS = {
    "appwrapper": "AppWrapper 1.2 rejects the object",
    "jobset": "JobSet 0.12 rejects the object",
    "karpenter": "Karpenter 1.14 never uses the object",
    "keda": "KEDA 2.21 rejects the object",
    "kserve": "KServe 0.20 rejects the object",
    "kubeflow-trainer": "Kubeflow Trainer 2.3 rejects the object",
    "kubeflow-training-operator-v1": "the Kubeflow training operator 1.9 rejects the object",
    "kuberay": "KubeRay 1.6 never starts the object",
    "kueue": "Kueue 0.19 rejects the object",
    "lws": "LeaderWorkerSet 0.9 rejects the object",
    "mpi-operator": "the MPI operator 0.8 never starts the object",
}
"""Who refuses what, by project, in the version whose code was read, and what comes of it."""
_API = "io.k8s.api."
_SIGNS = {
    "karpenter.v1.NodePool": "the server stores it, and its condition `ValidationSucceeded` becomes false",
    "karpenter.v1alpha1.NodeOverlay": "the server stores it, and its condition `ValidationSucceeded` becomes false",
    "kubeflow.v2beta1.MPIJob": "the server stores it, and it gets an event `ValidationError`, and no status",
    "ray.v1.RayCluster": "the server stores it, and it gets an event `InvalidRayClusterSpec`, and no status",
    "ray.v1.RayCronJob": "the server stores it, and it gets an event `InvalidRayCronJobSpec`",
    "ray.v1.RayJob": "the server stores it, and its `jobDeploymentStatus` becomes `ValidationFailed`",
    "ray.v1.RayService": "the server stores it, and its condition `Ready` is false: `ValidationFailed`",
}
"""What shows in a cluster that a controller makes nothing of what has been stored."""


@cache
def relations_of(project: str, name: str) -> tuple[Relation, ...]:
    """Return the functions that judge a project's objects of a kind."""
    relations: tuple[Relation, ...] = _of(project, "RELATIONS", name)
    return relations


def read_in(project: str) -> tuple[int, ...]:
    """Return the version of an operator whose code was read; empty where none was."""
    words = OPERATORS.get(project, "").split()
    return next((version for word in words if (version := read_version(word))), ())


def sign(name: str) -> str | None:
    """Return what shows that a controller never starts an object of a kind; None where a webhook
    refuses it."""
    return _SIGNS.get(name.removeprefix(_API))


def fills(project: str, name: str, path: Path) -> bool:
    """Return whether a webhook fills in what is at a path where it is not there, or empty; `*`: any
    index."""
    patterns: tuple[Path, ...] = _of(project, "FILLED", name)
    return _bare(path) in patterns


def rewrites(project: str, name: str) -> bool:
    """Return whether a webhook writes an object of a kind back as it has read it."""
    return isinstance(_of(project, "ZERO", name), dict)


def zero(project: str, name: str, schema_fault: SchemaFault) -> str | None:
    """Return what a webhook writes where nothing is, which is no value that anybody meant.

    One that changes an object writes back all that its own types have: of a field that must be there, of a
    text in a list and of a map in one, the nothing of its type. `ZERO` has the kinds of which there is such a
    webhook, and of what is neither text nor map what it writes.
    """
    if not rewrites(project, name) or not is_absent(schema_fault):
        return None
    node: SchemaNode | None = schema_fault.node
    if schema_fault.reason == "missing-field":
        written: dict[Path, str] = _of(project, "ZERO", name)
        if (path := _bare(schema_fault.path)) in written:
            return written[path]
        node = schema_fault.node.field(str(schema_fault.path[-1]))
    elif not isinstance(schema_fault.path[-1], int):
        return None
    if node is None or (node.limits is not None and node.limits.broken("")):
        return None
    if str in node.types:
        return '""' if "" in (node.allowed or ("",)) else None
    return "{}" if dict in node.types and schema_fault.reason != "missing-field" else None


def _bare(path: Path) -> Path:
    return tuple("*" if isinstance(step, int) else step for step in path)


def _of(project: str, table: str, name: str) -> Any:
    if project not in OPERATORS:
        return ()
    module = import_module(f"gpuspec.validation.operators.{project.replace('-', '_')}")
    return getattr(module, table, {}).get(name.removeprefix(_API), ())
