"""A grace period that Kueue takes out of a TrainJob, so that its JobSet is never started."""

from collections.abc import Iterator

from gpuspec.lint.analysis.reading.releases import installed_version
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import at, items, mapping
from gpuspec.objects.objects import Object
from gpuspec.objects.queues import queue_of
from gpuspec.objects.runtimes import runtime_of
from gpuspec.settings.versions import allows

RULE = Rule(
    "GPU865",
    "grace-taken-out",
    "warning",
    "A queue removes a TrainJob's grace period, and its pods are never created",
)

_GRACE = "terminationGracePeriodSeconds"
_KNOWN = "<0.20"
"""The Kueues that were read: 0.19 has the API of Trainer 2.2, which lacks the field."""
_JOBS: Path = ("template", "spec", "replicatedJobs")
_POD: Path = ("template", "spec", "template", "spec")


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield TrainJobs that wait in a queue of Kueue's, by their patches."""
    queue = queue_of(obj)
    version = installed_version("kueue", context)
    if queue is None or (version is not None and not allows(_KNOWN, version)):
        return
    runtime = runtime_of(obj, context.collection)
    for index, patch in enumerate(items(at(obj.value, ("spec", "runtimePatches")))):
        inside = ("trainingRuntimeSpec", *_JOBS)
        for place, job in enumerate(items(at(patch, inside))):
            grace = mapping(at(job, _POD)).get(_GRACE)
            if grace is None or grace == _of_runtime(runtime, mapping(job).get("name")):
                continue
            yield RawFinding(
                obj.path("spec", "runtimePatches", index, *inside, place, *_POD, _GRACE),
                f"queue `{queue.queue}` removes `{_GRACE}` from the TrainJob, because Kueue up to "
                "0.19 does not know this field: JobSet rejects the change, and no pod is created",
                note=f"set `{_GRACE}` in the runtime",
                confidence="likely",
            )


def _of_runtime(runtime: Object | None, name: object) -> object:
    """Return the field of a runtime's own job, if the runtime is in the set."""
    jobs = [] if runtime is None else items(at(runtime.value, ("spec", *_JOBS)))
    runtime_job = next((mapping(job) for job in jobs if mapping(job).get("name") == name), None)
    return None if runtime_job is None else mapping(at(runtime_job, _POD)).get(_GRACE)
