"""The operators' checks of their kinds beyond the schemas: one file for each project.

Checks of one field, or of which fields a map has, are in `schemas/operators/`. The checks here come
from the operator's webhooks or, without one, from the checks of its controllers before they create
anything; `tests/refusals/operators` compares them with that code.
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
"""The program that refuses, by project, in the version whose code was read, with the consequence.
"""
_API = "io.k8s.api."
_SIGNS = {
    "karpenter.v1.NodePool": (
        "look for the condition `ValidationSucceeded: False`: `kubectl apply` reports no error"
    ),
    "karpenter.v1alpha1.NodeOverlay": (
        "look for the condition `ValidationSucceeded: False`: `kubectl apply` reports no error"
    ),
    "kubeflow.v2beta1.MPIJob": (
        "look for an event `ValidationError`: `kubectl apply` reports no error"
    ),
    "ray.v1.RayCluster": (
        "look for an event `InvalidRayClusterSpec`: `kubectl apply` reports no error"
    ),
    "ray.v1.RayCronJob": (
        "look for an event `InvalidRayCronJobSpec`: `kubectl apply` reports no error"
    ),
    "ray.v1.RayJob": (
        "look for `jobDeploymentStatus: ValidationFailed`: `kubectl apply` reports no error"
    ),
    "ray.v1.RayService": (
        "look for the condition `Ready: False` with reason `ValidationFailed`: `kubectl apply` reports no error"
    ),
}
"""The signs in a cluster of a stored object that a controller never starts."""


@cache
def relations_of(project: str, name: str) -> tuple[Relation, ...]:
    """Return the functions that check a project's objects of a kind."""
    relations: tuple[Relation, ...] = _of(project, "RELATIONS", name)
    return relations


def read_in(project: str) -> tuple[int, ...]:
    """Return the version of an operator whose code was read; empty if none was."""
    words = OPERATORS.get(project, "").split()
    return next((version for word in words if (version := read_version(word))), ())


def sign(name: str) -> str | None:
    """Return the sign that a controller never starts an object of a kind; None if a webhook refuses
    it."""
    return _SIGNS.get(name.removeprefix(_API))


def fills(project: str, name: str, path: Path) -> bool:
    """Return whether a webhook fills in an absent or empty value at a path; `*`: any index."""
    patterns: tuple[Path, ...] = _of(project, "FILLED", name)
    return _bare(path) in patterns


def rewrites(project: str, name: str) -> bool:
    """Return whether a webhook decodes an object of a kind and writes it back."""
    return isinstance(_of(project, "ZERO", name), dict)


def zero(project: str, name: str, schema_fault: SchemaFault) -> str | None:
    """Return the zero value that a webhook writes for an absent value.

    A webhook that changes an object writes back all fields of its own types: a required field, a
    text in a list and a map in a list get the zero value of their type. `ZERO` has the kinds with
    such a webhook, and the zero values of other types.
    """
    if not rewrites(project, name) or not is_absent(schema_fault):
        return None
    node: SchemaNode | None = schema_fault.node
    if schema_fault.reason == "missing-field":
        zero_texts: dict[Path, str] = _of(project, "ZERO", name)
        if (path := _bare(schema_fault.path)) in zero_texts:
            return zero_texts[path]
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
