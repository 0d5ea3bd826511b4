"""How long a finished run is kept, and which tool would run it again after its deletion."""

from gpuspec.plan.decision import Note, Origin
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.target import Target
from gpuspec.spec import BatchInferenceSpec, Duration

GITOPS = {"argo-cd": "Argo CD", "flux": "Flux"}
"""Tools that apply missing objects again, by their names in `installed`."""
HOOK = "argocd.argoproj.io/hook"
_PATH = ("spec", "ttlAfterFinished")


def asked(resolution: Resolution, target: Target) -> Duration | None:
    """Return the time after which a run is deleted that a tool may apply again; None if no tool
    can.

    The Jobs of a schedule belong to the CronJob, and only a sync of Argo CD creates a hook. Some
    targets keep the run and delete only its pods.
    """
    spec = resolution.spec
    if target.stays:
        return None
    if isinstance(spec, BatchInferenceSpec) and spec.schedule is not None:
        return None
    if HOOK in resolution.workload.model.metadata.annotations:
        return None
    duration: Duration | None = getattr(spec, "ttl_after_finished", None)
    return duration


def refused(resolution: Resolution, target: Target) -> list[RefusalReason]:
    """Return a refusal for a run that is deleted while a tool of the cluster recreates missing
    objects."""
    ttl = asked(resolution, target)
    tools = [name for key, name in GITOPS.items() if key in resolution.profile.spec.installed]
    return [runs_again(resolution, ttl, tools[0])] if ttl is not None and tools else []


def runs_again(resolution: Resolution, ttl: Duration, tool: str) -> RefusalReason:
    """Return why a tool that recreates missing objects does not fit this run."""
    return RefusalReason(
        f"ttlAfterFinished: {ttl} after its end it is deleted, then {tool} finds it "
        "missing and runs it again, with all its GPUs",
        resolution.workload.place(_PATH),
        "delete it, and the finished run stays until you remove its spec; or make it a "
        f"hook: {HOOK}",
    )


def notes(resolution: Resolution, target: Target) -> list[Note]:
    """Return a loud note on the cost, if no tool is known to apply the run again."""
    ttl = asked(resolution, target)
    if ttl is None:
        return []
    text = (
        f"ttlAfterFinished: {ttl} after its end the {target.kind} is deleted, and "
        "applying it again runs it again"
    )
    return [Note(text, Origin("spec", _PATH), loud=True)]
