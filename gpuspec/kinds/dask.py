"""Dask's operator: clusters of a scheduler and workers, each worker a Deployment of its own. Sources:
the CRDs of dask/dask-kubernetes (2025.4); controller.py, which adds variables to pods and no
scheduling fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds.model import Kind, PodGroupKind
from gpuspec.manifests.values import at, whole

if TYPE_CHECKING:
    from gpuspec.manifests import Path

GROUP = "kubernetes.dask.org"
_REPLICAS = "spec.worker.replicas"


def _part(value: dict[str, Any], inside: Path) -> PodGroupKind:
    *holder, _ = inside
    role = str(holder[-1])
    is_worker = role == "worker"
    return PodGroupKind(role, groups=whole(at(value, (*holder, "replicas")), 1) if is_worker else 1)


KINDS = (
    Kind(
        GROUP,
        "DaskCluster",
        "workload",
        templates=("spec.scheduler", "spec.worker"),
        life="service",
        part=_part,
    ),
    Kind(
        GROUP,
        "DaskWorkerGroup",
        "workload",
        templates=("spec.worker",),
        life="service",
        part=_part,
        scaled=_REPLICAS,
    ),
    Kind(
        GROUP,
        "DaskJob",
        "workload",
        templates=("spec.job", "spec.cluster.spec.scheduler", "spec.cluster.spec.worker"),
        life="finite",
        part=_part,
        runs_once=True,
    ),
)
