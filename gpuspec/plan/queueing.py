"""Admission by a queue, and priority."""

from collections.abc import Iterable

from gpuspec.plan.case import Case, Refused
from gpuspec.plan.leaf import Leaf, Node, Note, Origin, from_profile, from_spec
from gpuspec.spec import BatchInferenceSpec, InferenceSpec, TrainingFields

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"


def refused(case: Case) -> list[Refused]:
    """A queue without a controller, and a priority that the profile does not map."""
    found: list[Refused] = []
    queue, asked = getattr(case.spec, "queue", None), case.spec.priority
    if queue is not None and "kueue" not in case.profile.spec.installed:
        # The Job would start at once, past every quota.
        found.append(
            Refused(
                f"queue {queue} is asked for, and the profile has no queue controller",
                case.workload.place(("spec", "queue")),
                'say so in the profile, installed: {kueue: "0.19"}, or delete `queue`',
            )
        )
    names = case.profile.spec.priorities.names
    if asked is not None and asked not in names:
        found.append(
            Refused(
                f"the profile has no priority `{asked}`",
                case.workload.place(("spec", "priority")),
                f"its priorities.names: {', '.join(sorted(names)) or 'none'}",
            )
        )
    return found


def queue_labels(case: Case) -> dict[str, Node]:
    """The label that hands a Job to its queue."""
    queue = getattr(case.spec, "queue", None)
    if queue is None:
        return {}
    words = "starts once this queue admits it; suspend is left to the queue"
    return {QUEUE_LABEL: from_spec(("spec", "queue"), queue, words)}


def queue_notes(case: Case, requests: Iterable[str]) -> list[Note]:
    """What the queue must cover: a resource without quota keeps a workload out for ever."""
    if getattr(case.spec, "queue", None) is None:
        return []
    text = f"the queue admits only what it has quota for: {', '.join(requests)}"
    return [Note(text, Origin("spec", ("spec", "queue")))]


def gang_notes(case: Case) -> list[Note]:
    """What to know about workers that must start together."""
    if case.workers == 1 or getattr(case.spec, "queue", None):
        return []
    return [
        Note(
            f"{case.workers} workers and no queue: some may hold GPUs while the others pend",
            Origin("spec", ("spec", "workers")),
            loud=True,
        )
    ]


def priority(case: Case) -> Leaf | None:
    """The PriorityClass: the spec's by the profile's name, else the profile's for the kind."""
    known, asked = case.profile.spec.priorities, case.spec.priority
    if asked is not None:
        path = ("spec", "priorities", "names", asked)
        return from_profile(path, known.names[asked], f"the spec's priority {asked}")
    match case.spec:
        case TrainingFields():
            field, name = "training", known.training
        case BatchInferenceSpec():
            field, name = "batchInference", known.batch_inference
        case InferenceSpec():
            field, name = "inference", known.inference
    if name is None:
        return None
    return from_profile(
        ("spec", "priorities", field), name, f"the profile's for {case.workload.kind}"
    )
