"""Admission by a queue, and priority."""

from gpuspec.plan.case import Case, Refusal, Refused
from gpuspec.plan.leaf import Leaf, Node, Note, Origin, from_profile, from_spec
from gpuspec.spec import BatchInferenceSpec, InferenceSpec, TrainingFields

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"


def queue_labels(case: Case) -> dict[str, Node]:
    """The label that hands a Job to its queue.

    Raises `Refusal` when the spec names a queue and the profile has no queue controller: the Job
    would start at once, past every quota.
    """
    queue = getattr(case.spec, "queue", None)
    if queue is None:
        return {}
    if "kueue" not in case.profile.spec.installed:
        raise Refusal(
            case.name,
            case.profile.name,
            [
                Refused(
                    f"queue {queue} is asked for, and the profile has no queue controller",
                    case.workload.place(("spec", "queue")),
                    'say so in the profile, installed: {kueue: "0.19"}, or delete `queue`',
                )
            ],
        )
    return {QUEUE_LABEL: from_spec(("spec", "queue"), queue, "admitted by this queue")}


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
    """The PriorityClass: the spec's by the profile's name, else the profile's for the kind.

    Raises `Refusal` for a name that the profile does not map.
    """
    known = case.profile.spec.priorities
    asked = case.spec.priority
    if asked is not None:
        if asked not in known.names:
            names = ", ".join(sorted(known.names)) or "none"
            raise Refusal(
                case.name,
                case.profile.name,
                [
                    Refused(
                        f"the profile has no priority `{asked}`",
                        case.workload.place(("spec", "priority")),
                        f"its priorities.names: {names}",
                    )
                ],
            )
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
