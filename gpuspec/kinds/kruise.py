"""OpenKruise: workloads with in-place updates. Sources: apis/apps of openkruise/kruise (1.9), whose
CloneSet, StatefulSet and DaemonSet have the templates of Kubernetes' own kinds."""

from __future__ import annotations

from gpuspec.kinds import batch
from gpuspec.kinds.apps import ALWAYS
from gpuspec.kinds.model import Kind, PodGroupKind, Reference, Rolls
from gpuspec.kinds.owned import REPLICAS
from gpuspec.kinds.references import claim_spec

GROUP = "apps.kruise.io"
_TEMPLATE = ("spec.template",)
_CLAIMS = claim_spec("spec.volumeClaimTemplates.*.spec")
_UPDATES = Rolls("restart", "restarts the pods, or updates their images in place")
_SUBSETS = ("statefulSetTemplate", "advancedStatefulSetTemplate", "cloneSetTemplate")


def _on_each_node(value: object, inside: object) -> PodGroupKind:
    return PodGroupKind("pod", None, None)


KINDS = (
    Kind(
        GROUP,
        "CloneSet",
        "workload",
        templates=_TEMPLATE,
        life="service",
        as_written=True,
        scaled=REPLICAS,
        filled=ALWAYS,
        refers=_CLAIMS,
        rolls=_UPDATES,
    ),
    Kind(
        GROUP,
        "StatefulSet",
        "workload",
        templates=_TEMPLATE,
        life="service",
        as_written=True,
        scaled=REPLICAS,
        whole_run=True,
        filled=ALWAYS,
        refers=(Reference("spec", "serviceName", "", "Service"), *_CLAIMS),
        rolls=_UPDATES,
    ),
    Kind(
        GROUP,
        "DaemonSet",
        "workload",
        templates=_TEMPLATE,
        life="service",
        part=_on_each_node,
        filled=ALWAYS,
        rolls=_UPDATES,
    ),
    Kind(
        GROUP,
        "UnitedDeployment",
        "workload",
        templates=(
            *(f"spec.template.{subset}.spec.template" for subset in _SUBSETS),
            "spec.template.deploymentTemplate.spec.template",
        ),
        life="service",
        scaled=REPLICAS,
        # A subset adds node requirements, tolerations and patches.
        completed=True,
    ),
    Kind(
        GROUP,
        "BroadcastJob",
        "workload",
        templates=_TEMPLATE,
        life="finite",
        part=_on_each_node,
        runs_once=True,
    ),
    Kind(
        GROUP,
        "AdvancedCronJob",
        "workload",
        templates=(
            "spec.template.jobTemplate.spec.template",
            "spec.template.broadcastJobTemplate.spec.template",
        ),
        life="finite",
        part=lambda value, inside: (
            batch.part(value, inside) if "jobTemplate" in inside else _on_each_node(value, inside)
        ),
        rolls=Rolls("next run", "applies from the next run", also=("spec.template",)),
    ),
)
