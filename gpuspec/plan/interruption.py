"""What an interruption costs finite work: who may not move its pods, and the time to save."""

from gpuspec.plan.case import Case
from gpuspec.plan.leaf import Leaf, Note, Origin, derived, from_spec
from gpuspec.spec import TrainingFields

# Kubernetes' own default, said so that nobody has to know it.
DEFAULT_GRACE = 30
# Seconds on top of saving: for the step under way, and for the process to exit.
SAVE_MARGIN = 30
# Karpenter and Cluster Autoscaler move pods to save nodes, unless the pod says not to.
NO_CONSOLIDATION = {
    "karpenter.sh/do-not-disrupt": "true",
    "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
}
LOST = "the work since the last save would be lost"
AGAIN = "its shard would be scored again from the start"


def no_consolidation(lost: str) -> dict[str, Leaf]:
    """Annotations that keep pods where they are; `lost`: what moving them would cost."""
    why = f"no autoscaler may move it to save a node: {lost}"
    return {key: derived("disruption", value, why) for key, value in NO_CONSOLIDATION.items()}


def shard_grace() -> Leaf:
    """The grace period of a shard."""
    return derived("job", DEFAULT_GRACE, "a shard that is cut off is scored again")


def saving(case: Case, spec: TrainingFields) -> tuple[Leaf, list[Note]]:
    """The grace period of a training pod, and a word for each pool that gives less notice."""
    checkpoint = spec.checkpoint
    spot = [chosen for chosen in case.pools if chosen.pool.capacity == "spot"]
    if checkpoint is None:
        notes = []
        if spot or spec.capacity == "spot":
            text = "spot nodes and no checkpoint: an interruption loses the whole run"
            notes.append(Note(text, Origin("spec", ("spec", "capacity")), loud=True))
        return derived("job", DEFAULT_GRACE, "nothing is saved at the end"), notes
    save = checkpoint.save.seconds
    notes = []
    for chosen in spot:
        if chosen.pool.notice.seconds < save:
            notes.append(
                Note(
                    f"pool {chosen.pool.name} gives {chosen.pool.notice} of notice and saving takes "
                    f"{checkpoint.save}: an interruption loses up to {checkpoint.every}",
                    Origin("spec", ("spec", "checkpoint", "save")),
                    loud=True,
                )
            )
    reason = f"{checkpoint.save} to save a checkpoint, and {SAVE_MARGIN}s more"
    return from_spec(("spec", "checkpoint", "save"), save + SAVE_MARGIN, reason), notes
