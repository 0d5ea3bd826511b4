"""A Job of a fixed name that a GitOps tool updates in place, which a Job does not allow."""

from collections.abc import Iterator

from gpuspec.lint.analysis.gangs.jobs import has_fresh_name, hooks_of, synced_by
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests.values import text
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU724",
    "name-never-changes",
    "warning",
    "A Job under GitOps keeps its name, so its next change cannot be synced",
    fix="unsafe",
)
_OPTIONS = "argocd.argoproj.io/sync-options"
_FORCES = ("replace=true", "force=true")


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield Jobs that carry the marks of a GitOps tool, and are neither hooks nor replaced."""
    tool = synced_by(obj)
    if tool is None or hooks_of(obj) or has_fresh_name(obj) or _is_replaced(obj):
        return
    yield RawFinding(
        obj.path("metadata", "name"),
        f"{tool} updates Job `{obj.name}` in place, but a Job's template is immutable: "
        "the next change of image or flags breaks the sync",
        note="use a name that changes with the content (a date, a digest), or make the Job a hook "
        "that is deleted before the next run",
        fix=_hook(obj) if tool == "Argo CD" else None,
        confidence="likely",
    )


def _is_replaced(obj: Object) -> bool:
    options = text(obj.annotations.get(_OPTIONS)).lower().replace(" ", "")
    if any(force in options for force in _FORCES):
        return True
    return any(
        isinstance(key, str) and key.endswith("toolkit.fluxcd.io/force")
        for key in (*obj.annotations, *obj.labels)
    )


def _hook(obj: Object) -> Fix:
    path = obj.path("metadata", "annotations")
    return Fix(
        "add the annotation `argocd.argoproj.io/hook: Sync`",
        (
            Put((*path, "argocd.argoproj.io/hook"), "Sync"),
            Put((*path, "argocd.argoproj.io/hook-delete-policy"), "BeforeHookCreation"),
        ),
    )
