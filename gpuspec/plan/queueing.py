"""Admission by a queue: the labels and annotations that Kueue reads, and priority.

`suspend` is never written, and neither are the fields that Kueue's webhook fills in: Kueue owns
them, and a sync would revert them.
"""

from collections.abc import Iterable

from gpuspec.escaping.meant import did_you_mean
from gpuspec.plan import admission, gangs, metadata, slices, topology
from gpuspec.plan.decision import Decision, Note, Origin, PlanPart, from_profile, from_spec
from gpuspec.plan.facets import NodeMap
from gpuspec.plan.resolution import RefusalReason, Resolution
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


def refused(resolution: Resolution, target: Target) -> list[RefusalReason]:
    """Return refusals for a queue without a controller, and for a priority that the profile does
    not map."""
    reasons: list[RefusalReason] = []
    queue, system = getattr(resolution.spec, "queue", None), gangs.system(resolution, target)
    kueue = system is gangs.KUEUE
    if queue is not None and system.component not in resolution.profile.spec.installed:
        # The Job would start at once, past every quota.
        hint = f'installed: {{{system.component}: "{system.version}"}}'
        reasons.append(
            RefusalReason(
                f"the spec names queue {queue}, but the profile has no queue controller",
                resolution.workload.place(("spec", "queue")),
                f"write it in the profile, {hint}, or delete `queue`",
            )
        )
    reasons += _priority(resolution, queued=queue is not None and kueue)
    if queue is not None and resolution.profile.spec.queues and kueue:
        reasons += admission.refused(resolution)
    elif queue is not None and gangs.KUEUE.component not in resolution.profile.spec.installed:
        reasons += admission.unknown(resolution)
        reasons += admission.beyond(resolution, gpus_alone=system is gangs.KAI)
    if not kueue:
        reasons += _of_kueue_alone(resolution, system)
    if getattr(resolution.spec, "topology", None) is not None:
        reasons += topology.refused(resolution, system, target)
    return reasons


def _of_kueue_alone(resolution: Resolution, system: gangs.System) -> list[RefusalReason]:
    """Return refusals for features of Kueue that another system is asked for."""
    spec = resolution.spec
    if not isinstance(spec, BatchInferenceSpec) or spec.shards.min_parallelism is None:
        return []
    text = f"`shards.minParallelism` needs Kueue, and queue {spec.queue} is one of {system.name}"
    place = resolution.workload.place(("spec", "shards", "minParallelism"))
    return [RefusalReason(text, place, "delete it")]


def _priority(resolution: Resolution, *, queued: bool) -> list[RefusalReason]:
    """Return a refusal for a priority that the profile lacks; `queued`: Kueue's priorities count
    too."""
    priorities, requested = resolution.profile.spec.priorities, resolution.spec.priority
    names = dict.fromkeys((*priorities.names, *(priorities.queued if queued else ())))
    if requested is None or requested in names:
        return []
    text = f"the profile has no priority `{requested}`"
    priorities_text = f"its priorities: {', '.join(sorted(names)) or 'none'}"
    if requested in priorities.queued:
        text = f"priority `{requested}` is only for queues, and there is no `queue`"
        if getattr(resolution.spec, "queue", None) is not None:
            text = f"priority `{requested}` is only for Kueue's queues, and this queue is not one"
    place = resolution.workload.place(("spec", "priority"))
    return [RefusalReason(text, place, did_you_mean(requested, names) or priorities_text)]


def labels(resolution: Resolution) -> NodeMap:
    """Return labels of the object that a queue suspends."""
    return {**metadata.labels(resolution), **_queue_labels(resolution)}


def _queue_labels(resolution: Resolution) -> NodeMap:
    """Return the labels of a Job for its queue: the queue's name, the priority there, the longest
    run.

    Kueue adds up the time of a run over all its admissions. The Job's own deadline restarts with
    each, but also holds without Kueue. So both are written, and a run with one admission always
    ends by the Job's own deadline.
    """
    queue = getattr(resolution.spec, "queue", None)
    if queue is None:
        return {}
    if (system := gangs.of_cluster(resolution)) is gangs.KAI:
        words = f"starts once this queue of {system.name} has quota for all of it"
        return {KAI_LABEL: from_spec(("spec", "queue"), queue, words)}
    if system is not gangs.KUEUE:
        return {}
    words = "starts once this queue admits it; the queue sets suspend"
    labels: dict[str, PlanPart] = {QUEUE_LABEL: from_spec(("spec", "queue"), queue, words)}
    requested_priority = resolution.spec.priority
    if (
        requested_priority is not None
        and requested_priority in resolution.profile.spec.priorities.queued
    ):
        words = (
            f"the spec's priority {requested_priority}: its place in the queue, and which workload "
            "preempts which"
        )
        path = ("spec", "priorities", "queued", requested_priority)
        labels[PRIORITY_LABEL] = from_profile(path, requested_priority, words)
    duration = getattr(resolution.spec, "duration", None)
    longest = duration.max if duration is not None else None
    if longest is not None:
        words = (
            f"{longest} and a minute over all admissions: each preemption restarts the "
            "Job's own deadline, so a run without preemptions ends by that deadline"
        )
        value = str(longest.seconds + TIME_MARGIN)
        labels[TIME_LABEL] = from_spec(("spec", "duration", "max"), value, words)
    return labels


def queue_annotations(resolution: Resolution) -> NodeMap:
    """Return the annotation that lets the queue start a Job with fewer shards at a time."""
    spec = resolution.spec
    if not isinstance(spec, BatchInferenceSpec) or spec.shards.min_parallelism is None:
        return {}
    least = spec.shards.min_parallelism
    words = f"the queue may start it with {least} shards at a time if it has no quota for more"
    path = ("spec", "shards", "minParallelism")
    return {LEAST_ANNOTATION: from_spec(path, str(least), words)}


def topology_annotations(resolution: Resolution, target: Target) -> NodeMap:
    """Return the pod template's annotations on the distance of workers, which Kueue reads."""
    requested_topology = getattr(resolution.spec, "topology", None)
    if requested_topology is None or gangs.system(resolution, target) is not gangs.KUEUE:
        return {}
    return topology.annotations(resolution)


def pod_annotations(resolution: Resolution, target: Target) -> NodeMap:
    """Return the pod templates' annotations for the system that starts the pods: their distance,
    and their queue."""
    queue = getattr(resolution.spec, "queue", None)
    if (
        queue is None
        or target.queues != "kueue"
        or gangs.of_cluster(resolution) is not gangs.VOLCANO
    ):
        return topology_annotations(resolution, target)
    words = "starts once this queue of Volcano has quota"
    return {VOLCANO_QUEUE: from_spec(("spec", "queue"), queue, words)}


def queue_notes(resolution: Resolution, target: Target, requests: Iterable[str]) -> list[Note]:
    """Return the resources that the queue must cover, and the workload's part of it if the profile
    lists queues."""
    if getattr(resolution.spec, "queue", None) is None:
        return []
    queue = admission.queue_of(resolution)
    if queue is not None and queue.pools and gangs.system(resolution, target) is gangs.KUEUE:
        return admission.admission_notes(resolution)
    text = f"the queue admits only what it has quota for: {', '.join(requests)}"
    return [Note(text, Origin("spec", ("spec", "queue")))]


def gang_notes(resolution: Resolution, target: Target) -> list[Note]:
    """Return notes on workers that must start together."""
    path, queue = resolution.workers_path, getattr(resolution.spec, "queue", None)
    if path is None or resolution.workers == 1:
        return []
    if (starter := gangs.starter(resolution, target)) is not None:
        text = f"{starter.name} starts {resolution.together} once all fit, or none of them"
        return [Note(text, Origin("spec", path))]
    system = gangs.system(resolution, target)
    if queue is not None and system is gangs.KUEUE:
        return []
    if slices.hosts(resolution) > 1:
        # The first of them takes the slice, which has room for exactly the others.
        return []
    nobody = "no queue admits" if queue is None else f"{system.name} does not start"
    text = (
        f"{nobody} {resolution.together} together: some may hold GPUs while the others are Pending"
    )
    return [Note(text, Origin("spec", path), loud=True)]


def priority(resolution: Resolution) -> Decision | None:
    """Return the PriorityClass: the spec's priority by the profile's name, or else the profile's
    class for the kind."""
    priorities, requested = resolution.profile.spec.priorities, resolution.spec.priority
    if requested is not None and requested in priorities.names:
        path = ("spec", "priorities", "names", requested)
        return from_profile(path, priorities.names[requested], f"the spec's priority {requested}")
    match resolution.spec:
        case TrainingFields():
            field, name = "training", priorities.training
        case BatchInferenceSpec():
            field, name = "batchInference", priorities.batch_inference
        case InferenceSpec():
            field, name = "inference", priorities.inference
    if name is None:
        return None
    return from_profile(
        ("spec", "priorities", field), name, f"the profile's for {resolution.workload.kind}"
    )
