"""Kubeflow's training operator (1.9), MPI operator (0.8) and notebooks. Sources: their CRDs; the webhooks of the first,
`validation.go` of the second."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds.batch import last
from gpuspec.kinds.katib import EXPERIMENT
from gpuspec.kinds.model import (
    DerivedName,
    Kind,
    Naming,
    PodChanges,
    PodGroupKind,
    Queueing,
    Reference,
)
from gpuspec.kinds.owned import BY_KUEUE, ControllerField
from gpuspec.kinds.references import chosen, priority
from gpuspec.kinds.scale import Scale, between, number
from gpuspec.kinds.volcano import QUEUES
from gpuspec.manifests.values import at, mapping, whole

if TYPE_CHECKING:
    from gpuspec.manifests import Path

GROUP = "kubeflow.org"
REPLICAS = {
    "PyTorchJob": ("pytorchReplicaSpecs", "pytorch"),
    "TFJob": ("tfReplicaSpecs", "tensorflow"),
    "JAXJob": ("jaxReplicaSpecs", "jax"),
    "XGBoostJob": ("xgbReplicaSpecs", "xgboost"),
    "PaddleJob": ("paddleReplicaSpecs", "paddle"),
    "MPIJob": ("mpiReplicaSpecs", ""),
}
"""The field of the replica specs, and the required container of each, by kind."""


# setRestartPolicy of both: pkg/core/pod.go, mpi_job_controller.go. The second also sets host names, and adds
# volumes (`ssh-auth`, `mpi-job-config`); for MPIJobs of v1 the first does: pkg/controller.v1/mpi.
_CHANGES = PodChanges(fields=frozenset({"restartPolicy"}))
_MPI_CHANGES = PodChanges(
    ("ssh-auth", "mpi-job-config", "mpi-job-kubectl"),
    fields=frozenset({"restartPolicy", "hostname", "subdomain"}),
)
_DESCRIBED = "spec.elasticPolicy.metrics.*.object.describedObject"
_METRICS = ("spec", "elasticPolicy", "metrics")


def _part(value: dict[str, Any], inside: Path) -> PodGroupKind:
    replica_spec = mapping(at(value, inside[:3]))
    return PodGroupKind(str(inside[2]).lower(), whole(replica_spec.get("replicas"), 1), gang=True)


def _elastic(value: dict[str, Any], inside: Path) -> Scale | None:
    policy = mapping(mapping(value.get("spec")).get("elasticPolicy"))
    if inside[2:3] != ("Worker",) or "maxReplicas" not in policy:
        return None
    least = number(policy.get("minReplicas"), 1)
    return between(least, policy["maxReplicas"], "elasticPolicy")


def _made(value: dict[str, Any], name: str) -> list[DerivedName]:
    derived_names: list[DerivedName] = []
    for field, replicas in mapping(value.get("spec")).items():
        if not field.endswith("ReplicaSpecs"):
            continue
        for role, spec in mapping(replicas).items():
            # The launcher is a Job, the others have numbers.
            is_job = (field, role) == ("mpiReplicaSpecs", "Launcher")
            end = "" if is_job else f"-{last(mapping(spec).get('replicas'))}"
            derived_names.append(
                DerivedName("the host name of a pod", f"{name}-{str(role).lower()}{end}")
            )
    return derived_names


def _job(name: str, field: str) -> Kind:
    is_mpi = name == "MPIJob"
    workers = f"spec.{field}.Worker.replicas"
    return Kind(
        GROUP,
        name,
        "workload",
        templates=(f"spec.{field}.*.template",),
        changes=_MPI_CHANGES if is_mpi else _CHANGES,
        life="finite",
        part=_part,
        own_pods=_elastic if name == "PyTorchJob" else None,
        scaled=workers if name in ("PyTorchJob", "JAXJob") else "",
        # Its operator makes an autoscaler of it: pkg/controller.v1/pytorch/hpa.go.
        sets=(ControllerField(workers, "the autoscaler of its `elasticPolicy`", (_METRICS,)),)
        if name == "PyTorchJob"
        else (),
        runs_once=True,
        refers=(
            priority("spec.runPolicy.schedulingPolicy", "priorityClass"),
            Reference("spec.runPolicy.schedulingPolicy", "queue", QUEUES, "Queue"),
            *((chosen(_DESCRIBED, "", "", "apiVersion"),) if name == "PyTorchJob" else ()),
        ),
        queueing=Queueing(
            ("spec", "runPolicy", "suspend"), "" if is_mpi else f"kubeflow.org/{name.lower()}"
        ),
        rewriter=BY_KUEUE if is_mpi or name == "PyTorchJob" else None,
        naming=Naming("subdomain" if is_mpi else "letter first", made=_made),
        processes=("spec", "nprocPerNode") if name == "PyTorchJob" else (),
        mpi=is_mpi,
        whole_run=name == "PyTorchJob",
        ttl=("spec", "runPolicy", "ttlSecondsAfterFinished"),
    )


KINDS = (
    *(_job(name, field) for name, (field, _) in REPLICAS.items()),
    Kind(
        GROUP,
        "Notebook",
        "workload",
        templates=("spec.template",),
        life="service",
        # OpenShift AI's webhook: opendatahub-io/kubeflow, notebook_dspa_secret.go. An object from a cluster may
        # have the mount alone.
        changes=PodChanges(("elyra-dsp-details",), others=True),
    ),
    EXPERIMENT,
)
