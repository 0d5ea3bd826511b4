"""One half of a gang: a queue without the scheduler that knows it, or the other way round."""

from collections.abc import Iterator

from gpuspec.kinds import kubeflow
from gpuspec.kinds.owned import QUEUE
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import Change, Fix, Put, RawFinding, Rule
from gpuspec.manifests.values import mapping, text
from gpuspec.objects.gangs import (
    DEFAULT,
    GROUP_ANNOTATIONS,
    GROUP_LABELS,
    MIN_MEMBER,
    Gang,
    gang_of,
    scheduler_of,
)
from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU702",
    "half-gang",
    "warning",
    "A gang's queue, pod group and scheduler do not match",
    fix="unsafe",
)
_QUEUE = "scheduling.volcano.sh/queue-name"
_KAI = "kai.scheduler/queue"
_KAI_MINIMUM = "kai.scheduler/batch-min-member"
_PLUGINS = "scheduler-plugins-scheduler"
"""The scheduler's name in the chart of scheduler-plugins."""


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Marks that only one scheduler reads, and the scheduler that the pods name."""
    pods = obj.pods
    if not pods or obj.traits.shared:
        return
    gang = gang_of(obj)
    schedulers = {scheduler_of(pod) or DEFAULT for pod in pods if pod.has_gpu}
    if gang is not None and len(schedulers) > 1:
        yield from _different(gang, schedulers)
        return
    if obj.group == kubeflow.GROUP:
        yield from _operator(obj)
        return
    if obj.group in ("ray.io", "batch.volcano.sh", "leaderworkerset.x-k8s.io"):
        # Their operators name the scheduler themselves.
        return
    for pod in pods:
        if pod.annotations or pod.labels:
            yield from _marks(pod)
    if gang is not None and schedulers == {"volcano"} and obj.is_a("batch", "Job"):
        yield from _alone(obj, gang)
    if gang is not None and schedulers == {"kai-scheduler"} and obj.is_a("batch", "Job"):
        yield from _each_alone(obj, gang)
    if gang is not None and schedulers == {_PLUGINS}:
        yield from _ungrouped(gang)


def _different(gang: Gang, schedulers: set[str]) -> Iterator[RawFinding]:
    pod = next(
        gang_pod
        for gang_pod in gang.pods
        if scheduler_of(gang_pod) in ("", DEFAULT, min(schedulers))
    )
    names = " and ".join(f"`{name}`" for name in sorted(schedulers))
    yield RawFinding(
        pod.path("schedulerName"),
        f"pods that only work together go to different schedulers ({names}): no scheduler can "
        "start all of them, and both count the same GPUs as free",
        note="set the same `schedulerName` for all of the pods",
    )


def _operator(obj: Object) -> Iterator[RawFinding]:
    """Yield a queue of Volcano on a Kubeflow job whose pods go to the default scheduler."""
    if _QUEUE not in obj.annotations or QUEUE in obj.labels:
        return
    pods = [pod for pod in obj.pods if scheduler_of(pod) in ("", DEFAULT)]
    policy = mapping(mapping(obj.spec.get("runPolicy")).get("schedulingPolicy"))
    if policy or len(pods) < len(obj.pods):
        return
    counts = [pod.role.count for pod in obj.pods]
    changes: list[Change] = [Put(pod.path("schedulerName"), "volcano") for pod in pods]
    scheduling_policy = {
        "queue": obj.annotations[_QUEUE],
        "minAvailable": sum(count or 0 for count in counts),
    }
    changes.append(Put(obj.path("spec", "runPolicy", "schedulingPolicy"), scheduling_policy))
    yield RawFinding(
        obj.path("metadata", "annotations", _QUEUE),
        f"only Volcano reads `{_QUEUE}`, but the pods go to the default scheduler: no PodGroup "
        "exists, and the pods start one by one",
        note="run the operator with `--gang-scheduler-name=volcano`: it then creates a PodGroup from "
        "`runPolicy.schedulingPolicy`",
        fix=Fix("give the pods to Volcano as one group", tuple(changes)),
        confidence="likely",
    )


def _marks(pod: Pod) -> Iterator[RawFinding]:
    """Yield a mark of one scheduler on a pod of another."""
    scheduler = scheduler_of(pod) or DEFAULT
    if scheduler != DEFAULT or pod.metadata_path is None:
        return
    for key in (*GROUP_ANNOTATIONS, _QUEUE):
        if key in pod.annotations:
            yield _unread(pod, ("annotations", key), "volcano")
            return
    if _KAI in pod.labels:
        yield _unread(pod, ("labels", _KAI), "kai-scheduler")
    for key in GROUP_LABELS:
        if key in pod.labels:
            yield RawFinding(
                (*pod.metadata_path, "labels", key),
                f"only the coscheduling plugin reads `{key}`, and the default scheduler does not "
                "include the plugin: the pods start one by one",
                note=f"set `schedulerName: {_PLUGINS}`, or the name of your scheduler with that "
                "plugin",
                severity="info",
                confidence="possible",
            )
            return


def _unread(pod: Pod, where: tuple[str, str], scheduler: str) -> RawFinding:
    fix_title = f"write `schedulerName: {scheduler}`"
    return RawFinding(
        (*(pod.metadata_path or ()), *where),
        f"{scheduler} reads `{where[1]}` only for its own pods, but this pod goes to the default "
        "scheduler: the pod joins no gang and no queue",
        fix=Fix(fix_title, (Put(pod.path("schedulerName"), scheduler),)),
        confidence="likely",
    )


def _each_alone(obj: Object, gang: Gang) -> Iterator[RawFinding]:
    """Yield Jobs whose pods KAI groups one by one, because they do not set how many belong
    together."""
    pod = gang.pods[0]
    if any(
        _KAI_MINIMUM in key_values for key_values in (obj.annotations, pod.annotations, obj.labels)
    ):
        return
    if text(obj.labels.get(QUEUE)) or text(pod.labels.get(QUEUE)):
        return
    yield RawFinding(
        pod.path("schedulerName"),
        f"KAI creates a PodGroup for each pod of a Job: each of the {gang.count} pods starts "
        "alone, although they only work together",
        note="use a JobSet, LeaderWorkerSet, PyTorchJob, MPIJob or RayJob, whose pods KAI groups",
        confidence="likely",
    )


def _ungrouped(gang: Gang) -> Iterator[RawFinding]:
    """Yield pods for the scheduler with the coscheduling plugin that name no PodGroup."""
    for pod in gang.pods:
        if pod.metadata_path is not None and not any(key in pod.labels for key in GROUP_LABELS):
            yield RawFinding(
                (*pod.metadata_path, "labels"),
                f"`{_PLUGINS}` groups pods by the label `{GROUP_LABELS[0]}`, which these pods "
                "lack: the pods start one by one",
                note="set the label to the name of a PodGroup in the pods' namespace",
                confidence="likely",
            )
            return


def _alone(obj: Object, gang: Gang) -> Iterator[RawFinding]:
    """Yield Volcano makes a group of a Job's pods, of which one is enough unless told otherwise."""
    pod = gang.pods[0]
    if MIN_MEMBER in obj.annotations or any(key in pod.annotations for key in GROUP_ANNOTATIONS):
        return
    if text(obj.labels.get(QUEUE)) or text(pod.labels.get(QUEUE)):
        return
    path = obj.path("metadata", "annotations", MIN_MEMBER)
    yield RawFinding(
        path,
        "Volcano puts the pods of a Job into a PodGroup with `minMember: 1`: each of the "
        f"{gang.count} pods starts alone, although they only work together",
        fix=set_field(path, str(gang.count)),
    )
