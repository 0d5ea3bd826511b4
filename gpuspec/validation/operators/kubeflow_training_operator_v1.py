"""Jobs of Kubeflow's training operator.

Source: github.com/kubeflow/training-operator v1.9.4, pkg/webhooks. Rules of the linter check the
names of containers, their images, and that a Master has one replica.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.validation.apiserver.reading import inner, refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_PYTORCH, _JAX, _TF = "pytorchReplicaSpecs", "jaxReplicaSpecs", "tfReplicaSpecs"
_CONTAINERS = ("template", "spec", "containers")


def pytorch(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check a PyTorchJob: one Master, Workers if it is elastic, and processes counted in one place."""
    spec, path = inner(value, "spec"), ("spec", _PYTORCH)
    yield from _roles(spec, _PYTORCH, "pytorch", ("Master", "Worker"))
    for role, replica in _there(spec, _PYTORCH).items():
        replicas = replica.get("replicas")
        if role == "Master" and replicas is None:
            yield refused(
                (*path, role, "replicas"), "it is missing, but a Master needs `replicas: 1`"
            )
        elif role != "Master" and replicas is not None and replicas < 1:
            yield refused((*path, role, "replicas"), f"expected at least 1, not {replicas}")
    elastic = spec.get("elasticPolicy")
    if elastic is not None and "Worker" not in _there(spec, _PYTORCH):
        yield refused((*path, "Worker"), "it is missing, but `elasticPolicy` needs it")
    if elastic and elastic.get("nProcPerNode") is not None and spec.get("nprocPerNode") is not None:
        yield refused(
            ("spec", "elasticPolicy", "nProcPerNode"),
            "`spec.nprocPerNode` is set too: keep that one",
        )


def tensorflow(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that there is one Chief or one Master."""
    spec = inner(value, "spec")
    yield from _roles(spec, _TF, "tensorflow", ())
    if {"Chief", "Master"} <= _there(spec, _TF).keys():
        yield refused(("spec", _TF), "`Chief` and `Master` exclude each other")


def jax(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that there are only Workers."""
    yield from _roles(inner(value, "spec"), _JAX, "jax", ("Worker",))


def _there(spec: Map, field: str) -> dict[str, Map]:
    """Return the roles of a job: null is none."""
    return {
        role: role_spec for role, role_spec in inner(spec, field).items() if role_spec is not None
    }


def _roles(
    spec: Map, field: str, container: str, known_roles: tuple[str, ...]
) -> Iterator[SchemaViolation]:
    """Check that each role is known, and has containers."""
    path: Path = ("spec", field)
    if spec.get(field) is None:
        yield refused(path, "it is missing")
    for role, replica in _there(spec, field).items():
        if known_roles and role not in known_roles:
            names = " or ".join(f"`{known_role}`" for known_role in known_roles)
            yield refused((*path, role), f"expected {names}")
        pod = inner(replica, "template", "spec")
        if not pod.get("containers"):
            yield refused((*path, role, *_CONTAINERS), f"it needs a container named `{container}`")


RELATIONS: dict[str, tuple[Relation, ...]] = {
    "kubeflow.v1.JAXJob": (jax,),
    "kubeflow.v1.PyTorchJob": (pytorch,),
    "kubeflow.v1.TFJob": (tensorflow,),
}
