"""Argo Workflows, Argo Rollouts, Argo CD. Sources: their field references."""

from gpuspec.kinds.model import Kind, Rolls
from gpuspec.kinds.owned import REPLICAS

GROUP = "argoproj.io"
_TEMPLATES = ("spec.templates.*",)
_LOOSE = ("container", "script")

KINDS = (
    Kind(
        GROUP,
        "ClusterWorkflowTemplate",
        "runtime",
        namespaced=False,
        argo=_TEMPLATES,
        loose=_LOOSE,
        life="finite",
        template=True,
    ),
    Kind(
        GROUP,
        "WorkflowTemplate",
        "runtime",
        argo=_TEMPLATES,
        loose=_LOOSE,
        life="finite",
        template=True,
    ),
    Kind(
        GROUP,
        "Workflow",
        "workload",
        argo=_TEMPLATES,
        loose=_LOOSE,
        life="finite",
        runs_once=True,
        steps=True,
    ),
    Kind(
        GROUP,
        "CronWorkflow",
        "workload",
        argo=("spec.workflowSpec.templates.*",),
        loose=_LOOSE,
        life="finite",
        steps=True,
        rolls=Rolls("next run", "holds from the next run", also=("spec.workflowSpec",)),
    ),
    Kind(
        GROUP,
        "Rollout",
        "workload",
        templates=("spec.template",),
        life="service",
        as_written=True,
        scaled=REPLICAS,
        rolls=Rolls("restart", "restarts the pods"),
    ),
    # They bring objects, and hold none.
    *(Kind(GROUP, name, "workload") for name in ("AppProject", "Application", "ApplicationSet")),
)
