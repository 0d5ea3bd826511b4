"""An AppWrapper around the object with the pods, which is queued and restarts the run.

Sources: github.com/project-codeflare/appwrapper v1.2.2, internal/controller/appwrapper. It observes
pods: a failed pod, or a pending one once the run has started, means a failed run. So nothing inside
retries.
"""

import msgspec
from msgspec.structs import replace

from gpuspec.enumeration import listed
from gpuspec.plan import gangs, queueing
from gpuspec.plan.decision import Decision, Note, Origin, PlanPart, derived, from_spec
from gpuspec.plan.facets import NodeMap, ObjectPlan
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.target import Target, TargetInput
from gpuspec.spec import TrainingFields

COMPONENT, VERSION = "appwrapper", "1.2"
WARMUP = 3600
"""Seconds until all pods must run, including images and new nodes; the default is 5 minutes."""
FORCE_MARGIN = 120
"""Seconds after their grace period until pods are deleted by force."""
_KEY = "workload.codeflare.dev.appwrapper/"


class AppWrapperPlan(msgspec.Struct, frozen=True):
    """An AppWrapper; its contents have their own template."""

    name: PlanPart
    labels: NodeMap
    annotations: NodeMap


def wrapped(target: Target, of: TargetInput) -> ObjectPlan:
    """Return the object of a target, in an AppWrapper."""
    spec = of.resolution.spec
    assert isinstance(spec, TrainingFields)
    wrapper = AppWrapperPlan(
        name=of.name,
        labels=queueing.labels(of.resolution),
        annotations={**of.meta.workload_annotations, **_annotations(of, spec)},
    )
    around = ObjectPlan("appwrapper", {"appwrapper": wrapper})
    return replace(target.object(_inner(of, spec)), around=around)


def _inner(of: TargetInput, spec: TrainingFields) -> TargetInput:
    """Return the input of the target inside: one attempt, no queue, and kept after its end."""
    bare = replace(
        spec, retries=replace(spec.retries, limit=0), queue=None, ttl_after_finished=None
    )
    workload = replace(
        of.resolution.workload, model=replace(of.resolution.workload.model, spec=bare)
    )
    resolution = replace(of.resolution, workload=workload)
    return replace(of, resolution=resolution, meta=replace(of.meta, workload_annotations={}))


def _annotations(of: TargetInput, spec: TrainingFields) -> NodeMap:
    """Return annotations: when the run counts as failed, how often it restarts, and what is kept
    after it."""
    limit, codes = spec.retries.limit, spec.retries.ending
    wrapper_annotations: dict[str, PlanPart] = {
        "retryLimit": from_spec(
            ("spec", "retries", "limit"),
            str(limit),
            "restarts of all pods, for any reason: disruptions count",
        ),
        "warmupGracePeriodDuration": derived(
            "appwrapper",
            f"{WARMUP}s",
            "pods that pull an image, or wait for a node, have not failed",
        ),
    }
    if codes:
        why = "a pod that ends with one of these ends the run"
        wrapper_annotations["terminalExitCodes"] = from_spec(
            ("spec", "retries"), ",".join(map(str, codes)), why
        )
    grace = next(iter(of.roles.values())).pod.grace
    if isinstance(grace, Decision):
        why = "no pod is deleted by force while it may still be saving"
        value = f"{grace.value + FORCE_MARGIN}s"
        wrapper_annotations["forcefulDeletionGracePeriodDuration"] = Decision(
            value, why, grace.origin
        )
    if (ttl := spec.ttl_after_finished) is not None:
        why = f"deleted {ttl} after success, with its pods and their logs"
        wrapper_annotations["successTTLDuration"] = from_spec(
            ("spec", "ttlAfterFinished"), f"{ttl.seconds}s", why
        )
    return {f"{_KEY}{name}": decision for name, decision in wrapper_annotations.items()}


def refused(resolution: Resolution) -> list[RefusalReason]:
    """Return refusals for a cluster without AppWrapper, and for roles that are terminated, which an
    AppWrapper counts as lost."""
    refusal_reasons: list[RefusalReason] = []
    if COMPONENT not in resolution.profile.spec.installed:
        text = (
            "`wrap: appwrapper` needs AppWrapper on the cluster, and the profile does not list it"
        )
        hint = f'write it in the profile, installed: {{{COMPONENT}: "{VERSION}"}}'
        refusal_reasons.append(
            RefusalReason(text, resolution.workload.place(("spec", "wrap")), hint)
        )
    ended = [role.name for role in resolution.roles if role.ends != "by-itself"]
    if ended:
        text = (
            "an AppWrapper is done when all pods have ended by themselves, but "
            f"{listed(ended)} {'does' if len(ended) == 1 else 'do'} not, or "
            f"{'ends' if len(ended) == 1 else 'end'} the workers"
        )
        refusal_reasons.append(
            RefusalReason(
                text, resolution.workload.place(("spec", "roles")), "write `ends: by-itself`"
            )
        )
    return refusal_reasons


def notes(resolution: Resolution) -> list[Note]:
    """Return what is deleted when a run has failed, and how long all attempts may take."""
    spec = resolution.spec
    assert isinstance(spec, TrainingFields)
    text = "an AppWrapper deletes its contents after a failed try, including the logs of the pods"
    wrap_notes = [Note(text, Origin("spec", ("spec", "wrap")), loud=True)]
    longest, tries = spec.duration.max, spec.retries.limit + 1
    if longest is not None and tries > 1 and not gangs.is_kueues(resolution):
        text = (
            f"`duration.max` ({longest}) limits each try: a run in an AppWrapper that "
            f"exceeds it is tried again, {tries} times in all; a queue bounds the sum"
        )
        wrap_notes.append(Note(text, Origin("spec", ("spec", "duration", "max")), loud=True))
    return wrap_notes
