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


def check(one: Object, context: Context) -> Iterator[RawFinding]:
    """Yield Jobs that carry the marks of a GitOps tool, and are neither hooks nor replaced."""
    tool = synced_by(one)
    if tool is None or hooks_of(one) or has_fresh_name(one) or _is_replaced(one):
        return
    yield RawFinding(
        one.path("metadata", "name"),
        f"{tool} updates Job `{one.name}` in place, but a Job's template is immutable: "
        "the next change of image or flags breaks the sync",
        note="use a name that changes with the content (a date, a digest), or make it a "
        "hook that is deleted before the next run",
        fix=_hook(one) if tool == "Argo CD" else None,
        confidence="likely",
    )


def _is_replaced(one: Object) -> bool:
    options = text(one.annotations.get(_OPTIONS)).lower().replace(" ", "")
    if any(each in options for each in _FORCES):
        return True
    return any(
        isinstance(key, str) and key.endswith("toolkit.fluxcd.io/force")
        for key in (*one.annotations, *one.labels)
    )


def _hook(one: Object) -> Fix:
    path = one.path("metadata", "annotations")
    return Fix(
        "run it as a hook at each sync",
        (
            Put((*path, "argocd.argoproj.io/hook"), "Sync"),
            Put((*path, "argocd.argoproj.io/hook-delete-policy"), "BeforeHookCreation"),
        ),
    )
