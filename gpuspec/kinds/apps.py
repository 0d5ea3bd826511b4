"""Kubernetes' `apps` (1.37). Sources: the API reference; `pkg/apis/apps/validation`; its controllers."""

from gpuspec.kinds.model import (
    DerivedName,
    ImmutableFields,
    Kind,
    Naming,
    Otherwise,
    Reference,
    RolloutFields,
    Rolls,
)
from gpuspec.kinds.owned import REPLICAS
from gpuspec.kinds.references import claim_spec

_TEMPLATE = ("spec.template",)
_RESTARTS = "restarts the pods"
_ORPHAN = "`kubectl delete --cascade=orphan` deletes it and keeps its pods and volumes"
ALWAYS = (("spec.template.spec.restartPolicy", "Always"),)
"""Pod fields that a controller requires so that its pods keep running."""
_HASH = 10
"""The length of most revision hashes; some are shorter."""


def revision(whose: str, name: str) -> list[DerivedName]:
    """Return the value of the revision label that a StatefulSet's controller sets: `<name>-<hash>`."""
    label = f"the label `controller-revision-hash` of {whose}"
    return [DerivedName(label, f"{name}-{'0' * _HASH}", surely=False)]


_ON_DELETE = Otherwise(
    "spec.updateStrategy.type",
    "OnDelete",
    "new pods",
    "running pods do not change until they are deleted (`OnDelete`)",
)
_RECREATE = Otherwise(
    "spec.strategy.type", "Recreate", "restart", "restarts the pods, all at once (`Recreate`)"
)

KINDS = (
    Kind(
        "apps",
        "DaemonSet",
        "workload",
        templates=_TEMPLATE,
        life="service",
        filled=ALWAYS,
        kept=ImmutableFields(("spec.selector",), way=_ORPHAN),
        rolls=Rolls("restart", _RESTARTS, otherwise=(_ON_DELETE,)),
    ),
    Kind(
        "apps",
        "ReplicaSet",
        "workload",
        templates=_TEMPLATE,
        life="service",
        as_written=True,
        scaled=REPLICAS,
        filled=ALWAYS,
        kept=ImmutableFields(("spec.selector",)),
    ),
    Kind(
        "apps",
        "Deployment",
        "workload",
        templates=_TEMPLATE,
        life="service",
        as_written=True,
        scaled=REPLICAS,
        filled=ALWAYS,
        kept=ImmutableFields(("spec.selector",)),
        rolls=Rolls("restart", _RESTARTS, otherwise=(_RECREATE,)),
        rollout=RolloutFields("strategy", "rollingUpdate", "25%", "25%"),
    ),
    Kind(
        "apps",
        "StatefulSet",
        "workload",
        templates=_TEMPLATE,
        life="service",
        as_written=True,
        scaled=REPLICAS,
        whole_run=True,
        naming=Naming("label", made=lambda value, name: revision("its pods", name)),
        refers=(
            Reference("spec", "serviceName", "", "Service"),
            *claim_spec("spec.volumeClaimTemplates.*.spec"),
        ),
        kept=ImmutableFields(
            ("spec",),
            but=(
                *("spec.replicas", "spec.ordinals", "spec.template", "spec.updateStrategy"),
                *("spec.revisionHistoryLimit", "spec.minReadySeconds"),
                "spec.persistentVolumeClaimRetentionPolicy",
            ),
            way=_ORPHAN,
        ),
        filled=(
            *ALWAYS,
            ("spec.podManagementPolicy", "OrderedReady"),
            ("spec.volumeClaimTemplates.*.spec.volumeMode", "Filesystem"),
        ),
        rolls=Rolls("restart", _RESTARTS, otherwise=(_ON_DELETE,)),
    ),
    Kind("apps", "ControllerRevision", "workload"),
)
