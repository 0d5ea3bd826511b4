"""A job of the Kubeflow operators whose roles have wrong names or counts."""

from collections.abc import Iterator

from gpuspec.kinds import an
from gpuspec.kinds.kubeflow import REPLICAS
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import items, mapping
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU741",
    "kubeflow-refused",
    "error",
    "A Kubeflow job lacks a container or replica that its operator requires by name",
    fix="unsafe",
)
_ONE = {"PyTorchJob": "Master", "XGBoostJob": "Master", "MPIJob": "Launcher"}


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield wrong names of containers, and a wrong number of leading pods."""
    field, name = REPLICAS[obj.kind]
    roles = mapping(obj.spec.get(field))
    for role, value in roles.items():
        replica, path = mapping(value), obj.path("spec", field, role)
        if role == _ONE.get(obj.kind) and replica.get("replicas") not in (None, 1):
            yield _one(path, role, replica.get("replicas"))
        containers = items(mapping(mapping(replica.get("template")).get("spec")).get("containers"))
        names = [mapping(container).get("name") for container in containers]
        if name and names and name not in names:
            yield _called((*path, "template", "spec", "containers"), obj.kind, name, len(names))
    leader = _ONE.get(obj.kind)
    if roles and leader == "Launcher" and roles.get(leader) is None:
        yield RawFinding(
            obj.path("spec", field, leader),
            "an MPIJob needs exactly one `Launcher`, which starts the processes: the operator "
            "rejects the job",
            note="set `replicas: 1` for the `Launcher`",
        )


def _one(path: Path, role: str, replicas: object) -> RawFinding:
    return RawFinding(
        (*path, "replicas"),
        f"only one `{role}` is allowed, but `replicas` is {replicas}: the operator rejects the job",
        fix=Fix("set `replicas` to 1", (Put((*path, "replicas"), 1),)),
    )


def _called(path: Path, kind: str, name: str, number: int) -> RawFinding:
    only = (*path, 0, "name")
    return RawFinding(
        only if number == 1 else path,
        f"{an(kind)} needs a container named `{name}` for the addresses and ranks: the operator "
        "rejects the job",
        fix=Fix(f"rename the container to `{name}`", (Put(only, name),)) if number == 1 else None,
    )
