"""Admission by a queue: the labels and annotations that Kueue reads, and priority.

`suspend` is never written, nor what Kueue's webhook fills in: it is Kueue's, and a sync would take
it away again.
"""

from collections.abc import Iterable

from gpuspec.escaping.meant import did_you_mean
from gpuspec.plan import admission, gangs, metadata, slices, topology
from gpuspec.plan.case import Case, Refused
from gpuspec.plan.facets import NodeMap
from gpuspec.plan.leaf import Leaf, Node, Note, Origin, from_profile, from_spec
from gpuspec.plan.target import Target
from gpuspec.spec import BatchInferenceSpec, InferenceSpec, TrainingFields

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
KAI_LABEL = "kai.scheduler/queue"
VOLCANO_QUEUE = "scheduling.volcano.sh/queue-name"
PRIORITY_LABEL = "kueue.x-k8s.io/priority-class"
TIME_LABEL = "kueue.x-k8s.io/max-exec-time-seconds"
LEAST_ANNOTATION = "kueue.x-k8s.io/job-min-parallelism"
# Seconds that the queue gives a run above its longest time. Kueue's clock starts a little before the
# Job's, and at its end the Job is suspended, as if it still waited; at the end of its own it fails.
TIME_MARGIN = 60


def refused(case: Case, target: Target) -> list[Refused]:
    """A queue without a controller, and a priority that the profile does not map."""
    found: list[Refused] = []
    queue, system = getattr(case.spec, "queue", None), gangs.system(case, target)
    kueue = system is gangs.KUEUE
    if queue is not None and system.component not in case.profile.spec.installed:
        # The Job would start at once, past every quota.
        hint = f'installed: {{{system.component}: "{system.version}"}}'
        found.append(
            Refused(
                f"queue {queue} is asked for, and the profile has no queue controller",
                case.workload.place(("spec", "queue")),
                f"say so in the profile, {hint}, or delete `queue`",
            )
        )
    found += _priority(case, queued=queue is not None and kueue)
    if queue is not None and case.profile.spec.queues and kueue:
        found += admission.refused(case)
    elif queue is not None and gangs.KUEUE.component not in case.profile.spec.installed:
        found += admission.unknown(case)
        found += admission.beyond(case, gpus_alone=system is gangs.KAI)
    if not kueue:
        found += _of_kueue_alone(case, system)
    if getattr(case.spec, "topology", None) is not None:
        found += topology.refused(case, system, target)
    return found


def _of_kueue_alone(case: Case, system: gangs.System) -> list[Refused]:
    """What only Kueue grants, and is asked of another."""
    spec = case.spec
    if not isinstance(spec, BatchInferenceSpec) or spec.shards.min_parallelism is None:
        return []
    text = f"`shards.minParallelism` is Kueue's to grant, and queue {spec.queue} is one of {system.name}"
    place = case.workload.place(("spec", "shards", "minParallelism"))
    return [Refused(text, place, "delete it")]


def _priority(case: Case, *, queued: bool) -> list[Refused]:
    """A priority that nothing in the profile has; `queued`: Kueue's count as well."""
    priorities, asked = case.profile.spec.priorities, case.spec.priority
    names = dict.fromkeys((*priorities.names, *(priorities.queued if queued else ())))
    if asked is None or asked in names:
        return []
    text = f"the profile has no priority `{asked}`"
    known = f"its priorities: {', '.join(sorted(names)) or 'none'}"
    if asked in priorities.queued:
        text = f"priority `{asked}` is for queues alone, and there is no `queue`"
        if getattr(case.spec, "queue", None) is not None:
            text = f"priority `{asked}` is for Kueue's queues alone, and this queue is none of them"
    place = case.workload.place(("spec", "priority"))
    return [Refused(text, place, did_you_mean(asked, names) or known)]


def labels(case: Case) -> NodeMap:
    """Labels of the object that a queue holds back."""
    return {**metadata.labels(case), **_queue_labels(case)}


def _queue_labels(case: Case) -> NodeMap:
    """What hands a Job to its queue: the queue's name, the priority there, the longest run.

    Kueue adds up the time of a run over all its admissions; the Job's own deadline begins anew with
    each, but holds without Kueue too. Hence both are written, and a run of one admission always
    ends by the Job's own.
    """
    queue = getattr(case.spec, "queue", None)
    if queue is None:
        return {}
    if (system := gangs.of_cluster(case)) is gangs.KAI:
        words = f"starts once this queue of {system.name} has room for all of it"
        return {KAI_LABEL: from_spec(("spec", "queue"), queue, words)}
    if system is not gangs.KUEUE:
        return {}
    words = "starts once this queue admits it; suspend is left to the queue"
    found: dict[str, Node] = {QUEUE_LABEL: from_spec(("spec", "queue"), queue, words)}
    asked = case.spec.priority
    if asked is not None and asked in case.profile.spec.priorities.queued:
        words = f"the spec's priority {asked}: its place in the queue, and who gives way to whom"
        path = ("spec", "priorities", "queued", asked)
        found[PRIORITY_LABEL] = from_profile(path, asked, words)
    duration = getattr(case.spec, "duration", None)
    longest = duration.max if duration is not None else None
    if longest is not None:
        words = (
            f"{longest} and a minute over all admissions: each preemption starts the Job's own "
            "deadline anew, and a run without one is to end by that"
        )
        value = str(longest.seconds + TIME_MARGIN)
        found[TIME_LABEL] = from_spec(("spec", "duration", "max"), value, words)
    return found


def queue_annotations(case: Case) -> NodeMap:
    """What a Job lets its queue change: how few shards at a time it may start with."""
    spec = case.spec
    if not isinstance(spec, BatchInferenceSpec) or spec.shards.min_parallelism is None:
        return {}
    least = spec.shards.min_parallelism
    words = f"the queue may start it with {least} shards at a time, when it has no room for more"
    path = ("spec", "shards", "minParallelism")
    return {LEAST_ANNOTATION: from_spec(path, str(least), words)}


def topology_annotations(case: Case, target: Target) -> NodeMap:
    """What the pod template says of how close the workers are placed, for Kueue to read."""
    asked = getattr(case.spec, "topology", None)
    if asked is None or gangs.system(case, target) is not gangs.KUEUE:
        return {}
    return topology.annotations(case)


def pod_annotations(case: Case, target: Target) -> NodeMap:
    """What pod templates say to who starts the pods: how close they are placed, and their queue."""
    queue = getattr(case.spec, "queue", None)
    if queue is None or target.queues != "kueue" or gangs.of_cluster(case) is not gangs.VOLCANO:
        return topology_annotations(case, target)
    words = "starts once this queue of Volcano has room"
    return {VOLCANO_QUEUE: from_spec(("spec", "queue"), queue, words)}


def queue_notes(case: Case, target: Target, requests: Iterable[str]) -> list[Note]:
    """What the queue must cover; how much the workload takes, where the profile lists queues."""
    if getattr(case.spec, "queue", None) is None:
        return []
    queue = admission.queue_of(case)
    if queue is not None and queue.pools and gangs.system(case, target) is gangs.KUEUE:
        return admission.admission_notes(case)
    text = f"the queue admits only what it has quota for: {', '.join(requests)}"
    return [Note(text, Origin("spec", ("spec", "queue")))]


def gang_notes(case: Case, target: Target) -> list[Note]:
    """What to know about workers that must start together."""
    path, queue = case.workers_path, getattr(case.spec, "queue", None)
    if path is None or case.workers == 1:
        return []
    if (starter := gangs.starter(case, target)) is not None:
        text = f"{starter.name} starts {case.together} once there is room for all, or none of them"
        return [Note(text, Origin("spec", path))]
    system = gangs.system(case, target)
    if queue is not None and system is gangs.KUEUE:
        return []
    if slices.hosts(case) > 1:
        # The first of them takes the slice, which has room for exactly the others.
        return []
    nobody = "no queue admits" if queue is None else f"{system.name} does not start"
    text = f"{nobody} {case.together} together: some may hold GPUs while the others pend"
    return [Note(text, Origin("spec", path), loud=True)]


def priority(case: Case) -> Leaf | None:
    """The PriorityClass: the spec's by the profile's name, else the profile's for the kind."""
    known, asked = case.profile.spec.priorities, case.spec.priority
    if asked is not None and asked in known.names:
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
