"""Kueue (0.19), and AppWrapper (1.2), which it queues."""

from gpuspec.kinds.model import ImmutableFields, Kind, Queueing, Reference
from gpuspec.kinds.owned import KUEUE, Rewriter
from gpuspec.kinds.references import KUEUE as GROUP
from gpuspec.kinds.references import chosen


def _wide(name: str, *refers: Reference, fixed: str = "", rewriter: Rewriter | None = None) -> Kind:
    immutable_fields = ImmutableFields((fixed,)) if fixed else None
    return Kind(
        GROUP,
        name,
        "queue",
        namespaced=False,
        kept=immutable_fields,
        refers=refers,
        rewriter=rewriter,
    )


def _named(holder: str, field: str, kind: str) -> Reference:
    return Reference(holder, field, GROUP, kind)


_FLAVORS = _named("spec.resourceGroups.*.flavors.*", "name", "ResourceFlavor")
_MIGRATION = "spec.concurrentAdmissionPolicy.migration.constraints"

KINDS = (
    _wide("Topology", fixed="spec.levels"),
    _wide("ResourceFlavor", _named("spec", "topologyName", "Topology")),
    _wide("WorkloadPriorityClass"),
    _wide("ProvisioningRequestConfig"),
    _wide("MultiKueueCluster"),
    _wide("MultiKueueConfig", _named("spec", "clusters", "MultiKueueCluster")),
    _wide(
        "AdmissionCheck",
        chosen("spec.parameters", GROUP, "", "apiGroup"),
        fixed="spec.controllerName",
    ),
    _wide(
        "Cohort",
        _named("spec", "parentName", "Cohort"),
        _FLAVORS,
    ),
    _wide(
        "ClusterQueue",
        _FLAVORS,
        _named(_MIGRATION, "lastAcceptableFlavorName", "ResourceFlavor"),
        _named("spec", "cohortName", "Cohort"),
        _named("spec", "cohort", "Cohort"),
        _named("spec", "admissionChecks", "AdmissionCheck"),
        _named("spec.admissionChecksStrategy.admissionChecks.*", "name", "AdmissionCheck"),
        rewriter=Rewriter(KUEUE),
    ),
    Kind(
        GROUP,
        "LocalQueue",
        "queue",
        kept=ImmutableFields(("spec.clusterQueue",)),
        refers=(_named("spec", "clusterQueue", "ClusterQueue"),),
    ),
    Kind(
        "workload.codeflare.dev",
        "AppWrapper",
        "workload",
        objects=("spec.components.*.template",),
        queueing=Queueing(),
        kept=ImmutableFields(
            ("spec.components.*.template",), way="give it a new name, or delete it first"
        ),
    ),
    Kind(GROUP, "Workload", "workload", templates=("spec.podSets.*.template",)),
)
