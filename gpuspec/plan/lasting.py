"""How long a finished run stays, and who would run it again when it is gone."""

from gpuspec.plan.decision import Note, Origin
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.target import Target
from gpuspec.spec import BatchInferenceSpec, Duration

GITOPS = {"argo-cd": "Argo CD", "flux": "Flux"}
"""What applies again by itself what is missing, as profiles list it in `installed`."""
HOOK = "argocd.argoproj.io/hook"
_PATH = ("spec", "ttlAfterFinished")


def asked(resolution: Resolution, target: Target) -> Duration | None:
    """Return the time after which a run is gone that somebody may apply again; None where nobody
    can.

    The Jobs of a schedule are the CronJob's own, and a hook of Argo CD is made by each sync alone. Of
    some targets the run stays, and its pods alone are gone.
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
    """Return a run that is deleted where a tool of the cluster makes again what is missing."""
    ttl = asked(resolution, target)
    tools = [name for key, name in GITOPS.items() if key in resolution.profile.spec.installed]
    return [runs_again(resolution, ttl, tools[0])] if ttl is not None and tools else []


def runs_again(resolution: Resolution, ttl: Duration, tool: str) -> RefusalReason:
    """Return why a tool that finds it missing is no place for it."""
    return RefusalReason(
        f"ttlAfterFinished: {ttl} after its end it is deleted, then {tool} finds it "
        "missing and runs it again, with all its GPUs",
        resolution.workload.place(_PATH),
        "delete it, and the finished run stays until you remove its spec; or make it a "
        f"hook: {HOOK}",
    )


def notes(resolution: Resolution, target: Target) -> list[Note]:
    """Return a loud word of what it costs where no tool is known to apply it again."""
    ttl = asked(resolution, target)
    if ttl is None:
        return []
    text = (
        f"ttlAfterFinished: {ttl} after its end the {target.kind} is deleted, and "
        "applying it again runs it again"
    )
    return [Note(text, Origin("spec", _PATH), loud=True)]
