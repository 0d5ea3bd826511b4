"""The cost of an interruption for finite workloads: protection from consolidation, and time to
save."""

from gpuspec.plan.decision import Decision, Note, Origin, derived, from_spec
from gpuspec.plan.resolution import Resolution
from gpuspec.spec import BatchInferenceSpec, TrainingFields

# Kubernetes' own default, said so that nobody has to know it.
DEFAULT_GRACE = 30
# Seconds on top of saving: for the step under way, and for the process to exit.
SAVE_MARGIN = 30
# Seconds of a run that may as well begin anew: nothing is said where it saves no checkpoint.
SHORT = 3600
# Karpenter and Cluster Autoscaler move pods to save nodes, unless the pod says not to.
NO_CONSOLIDATION = {
    "karpenter.sh/do-not-disrupt": "true",
    "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
}
LOST = "the work since the last save would be lost"
AGAIN = "its shard would start again from the beginning"


def no_consolidation(lost: str) -> dict[str, Decision]:
    """Return annotations that keep pods on their nodes; `lost`: the cost of moving them."""
    why = f"no autoscaler may evict it to remove a node: {lost}"
    return {key: derived("disruption", value, why) for key, value in NO_CONSOLIDATION.items()}


def grace(spec: TrainingFields | BatchInferenceSpec) -> Decision | None:
    """Return the grace period in the spec; None if the spec has none."""
    if spec.grace is None:
        return None
    return from_spec(("spec", "grace"), spec.grace.seconds, "as the spec says")


def shard_grace(spec: BatchInferenceSpec) -> Decision:
    """Return the grace period of a shard."""
    why = "an interrupted shard starts again"
    return grace(spec) or derived("job", DEFAULT_GRACE, why)


def _is_short(spec: TrainingFields) -> bool:
    """Return whether a run is known to be so short that its loss needs no note."""
    duration = spec.duration.expected or spec.duration.max
    return duration is not None and duration.seconds < SHORT


def saving(resolution: Resolution, spec: TrainingFields) -> tuple[Decision, list[Note]]:
    """Return the grace period of a training pod, with a note for each pool with a shorter
    termination notice."""
    checkpoint = spec.checkpoint
    spot = [chosen for chosen in resolution.pools if chosen.pool.capacity == "spot"]
    if checkpoint is None:
        notes = []
        if spot or spec.capacity == "spot":
            text = "spot nodes and no checkpoint: an interruption loses the whole run"
            notes.append(Note(text, Origin("spec", ("spec", "capacity")), loud=True))
        elif not _is_short(spec):
            duration = spec.duration.expected or spec.duration.max
            short = "" if duration else ", or `duration.expected` if it is under an hour"
            text = (
                "no checkpoint: an interruption or a failure loses the whole run; "
                f"write `checkpoint`{short}"
            )
            notes.append(Note(text, Origin("spec", ("spec", "checkpoint")), loud=True))
        decision = derived("job", DEFAULT_GRACE, "the program saves nothing at the end")
        return grace(spec) or decision, notes
    save = checkpoint.save.seconds
    notes = []
    for chosen in spot:
        if chosen.pool.notice.seconds < save:
            notes.append(
                Note(
                    f"pool {chosen.pool.name} gives {chosen.pool.notice} of notice, but saving "
                    f"takes {checkpoint.save}: an interruption loses up to {checkpoint.every}",
                    Origin("spec", ("spec", "checkpoint", "save")),
                    loud=True,
                )
            )
    notes += _drained(resolution, save, f"{checkpoint.save}", f"{checkpoint.every}")
    if spec.grace is not None and spec.grace.seconds < save:
        text = (
            f"grace is {spec.grace}, but saving takes {checkpoint.save}: an interruption "
            f"loses up to {checkpoint.every}"
        )
        notes.append(Note(text, Origin("spec", ("spec", "grace")), loud=True))
    reason = f"{checkpoint.save} to save a checkpoint, and {SAVE_MARGIN}s more"
    decision = from_spec(("spec", "checkpoint", "save"), save + SAVE_MARGIN, reason)
    return grace(spec) or decision, notes


def _drained(resolution: Resolution, save: int, takes: str, every: str) -> list[Note]:
    """Return a note for each pool whose drained nodes terminate before a checkpoint is saved."""
    notes = []
    for chosen in resolution.pools:
        how = chosen.pool.karpenter
        longest = how.termination_grace_period if how is not None else None
        if longest is not None and longest.seconds < save:
            text = (
                f"nodes of pool {chosen.pool.name} drain for at most {longest}, but saving "
                f"takes {takes}: when a node expires, up to {every} is lost"
            )
            where = Origin("spec", ("spec", "checkpoint", "save"))
            notes.append(Note(text, where, loud=True))
    return notes
