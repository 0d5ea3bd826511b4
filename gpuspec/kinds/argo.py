"""Argo Workflows, Argo Rollouts, Argo CD. Sources: their field references."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs

from gpuspec.kinds.model import Kind, PodChanges, Reference, Rolls
from gpuspec.kinds.owned import REPLICAS
from gpuspec.kinds.references import POD, account, claim_spec, priority, secret, service
from gpuspec.manifests.values import at

if TYPE_CHECKING:
    from gpuspec.manifests import Path

GROUP = "argoproj.io"
_TEMPLATES = ("spec.templates.*",)
_LOOSE = ("container", "script")
_LISTS = ("sidecars",)

_VOLUMES = tuple(row for row in POD if row.holder.startswith("volumes."))


def _workflow(spec: str) -> tuple[Reference, ...]:
    """Return the references of a workflow spec at a pattern, for all of its pods."""
    return (
        account(spec),
        priority(spec, "podPriorityClassName"),
        secret(f"{spec}.imagePullSecrets.*", optional=True),
        *claim_spec(f"{spec}.volumeClaimTemplates.*.spec"),
        *(structs.replace(row, holder=f"{spec}.{row.holder}") for row in _VOLUMES),
        *(
            Reference(
                f"{spec}.{path}",
                "name",
                GROUP,
                "WorkflowTemplate",
                others=("ClusterWorkflowTemplate",),
            )
            for path in (
                "workflowTemplateRef",
                "templates.*.steps.*.*.templateRef",
                "templates.*.dag.tasks.*.templateRef",
            )
        ),
    )


def _containers(value: dict[str, Any], inside: Path) -> dict[str, Path]:
    """Return the containers of a template whose pod has several."""
    path = (*inside, "containerSet", "containers")
    return {"containers": path} if at(value, path) else {}


def _changes(spec: str) -> PodChanges:
    """Return what a workflow adds to its pods: volumes; its defaults and patches, what they like."""
    patterns = (f"{spec}.volumes.*", f"{spec}.volumeClaimTemplates.*")
    return PodChanges(volumes_at=patterns, others=True)


_ROLLOUT = tuple(
    service(f"spec.strategy.{strategy}", field)
    for strategy, fields in {
        "canary": ("canaryService", "stableService"),
        "blueGreen": ("activeService", "previewService"),
    }.items()
    for field in fields
)

KINDS = (
    Kind(
        GROUP,
        "ClusterWorkflowTemplate",
        "runtime",
        refers=_workflow("spec"),
        namespaced=False,
        argo=_TEMPLATES,
        loose=_LOOSE,
        lists=_LISTS,
        elsewhere=_containers,
        life="finite",
        template=True,
    ),
    Kind(
        GROUP,
        "WorkflowTemplate",
        "runtime",
        refers=_workflow("spec"),
        argo=_TEMPLATES,
        loose=_LOOSE,
        lists=_LISTS,
        elsewhere=_containers,
        life="finite",
        template=True,
    ),
    Kind(
        GROUP,
        "Workflow",
        "workload",
        refers=_workflow("spec"),
        argo=_TEMPLATES,
        loose=_LOOSE,
        lists=_LISTS,
        elsewhere=_containers,
        changes=_changes("spec"),
        life="finite",
        runs_once=True,
        steps=True,
    ),
    Kind(
        GROUP,
        "CronWorkflow",
        "workload",
        refers=_workflow("spec.workflowSpec"),
        argo=("spec.workflowSpec.templates.*",),
        loose=_LOOSE,
        lists=_LISTS,
        elsewhere=_containers,
        changes=_changes("spec.workflowSpec"),
        life="finite",
        steps=True,
        rolls=Rolls("next run", "applies from the next run", also=("spec.workflowSpec",)),
    ),
    Kind(
        GROUP,
        "Rollout",
        "workload",
        refers=_ROLLOUT,
        templates=("spec.template",),
        life="service",
        as_written=True,
        scaled=REPLICAS,
        rolls=Rolls("restart", "restarts the pods"),
    ),
    # They bring objects, and hold none.
    *(Kind(GROUP, name, "workload") for name in ("AppProject", "Application", "ApplicationSet")),
)
