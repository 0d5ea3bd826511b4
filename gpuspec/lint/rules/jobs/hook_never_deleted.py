"""A hook whose failed run is never removed, and blocks the next."""

from collections.abc import Iterator

from gpuspec.lint.analysis.gangs.jobs import hooks_of
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import text
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU725",
    "hook-never-deleted",
    "warning",
    "A hook is deleted only on success, so a failed run blocks the next",
    fix="unsafe",
)
_BEFORE = {
    "argocd.argoproj.io/hook": "BeforeHookCreation",
    "helm.sh/hook": "before-hook-creation",
}


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield hooks of Argo CD and of Helm with a delete policy of success alone."""
    if "generateName" in obj.metadata or "ttlSecondsAfterFinished" in obj.spec:
        return
    for key, _ in hooks_of(obj):
        policy = f"{key}-delete-policy"
        policies = [part.strip() for part in text(obj.annotations.get(policy)).split(",")]
        plain = {part.replace("-", "").lower() for part in policies}
        if plain != {"hooksucceeded"}:
            continue
        tool = "Argo CD" if key.startswith("argocd") else "Helm"
        path = obj.path("metadata", "annotations", policy)
        yield RawFinding(
            path,
            f"`{policies[0]}` leaves a failed {obj.kind} behind, which {tool} cannot recreate: "
            f"every later sync fails until the {obj.kind} is deleted",
            fix=set_field(path, _BEFORE[key]),
        )
        return
