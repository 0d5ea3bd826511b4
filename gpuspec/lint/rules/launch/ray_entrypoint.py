"""A RayJob whose cluster does not run its entrypoint as written."""

from collections.abc import Iterator
from typing import Any

from gpuspec.kinds.ray import JOBS
from gpuspec.lint.analysis.gangs.rays import group_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests.values import at, mapping, text
from gpuspec.numbers import read_whole
from gpuspec.objects.objects import Object, Pod

RULE = Rule(
    "GPU757",
    "ray-entrypoint",
    "error",
    "A RayJob's entrypoint runs partly outside the cluster, or requests a node that does not exist",
    fix="unsafe",
)
_OPERATORS = ("&&", "||", ";", "|", "&", "\n")


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield faults from the submitter's shell, and from the resources that Ray needs for the
    entrypoint."""
    # Sent as it is over HTTP, and by nobody where somebody else submits.
    if _job(obj).get("submissionMode", "K8sJobMode") in ("K8sJobMode", "SidecarMode"):
        yield from _split(obj)
    yield from _driver(obj)


def _job(obj: Object) -> dict[str, Any]:
    return mapping(at(obj.value, JOBS[obj.kind]))


def _split(obj: Object) -> Iterator[RawFinding]:
    job, path = _job(obj), obj.path(*JOBS[obj.kind], "entrypoint")
    line = text(job.get("entrypoint")).strip()
    inside = ("submitterPodTemplate", "spec", "containers", 0)
    if mapping(at(job, inside)).get("command"):
        return
    operator_entry = _operator(line)
    if operator_entry is None:
        return
    where, operator = operator_entry
    sent = line[:where].split()
    shown = " ".join(sent[:3]) + (" …" if len(sent) > 3 else "")
    name = "the line break" if operator == "\n" else f"`{operator}`"
    fix = Fix("run everything in the cluster", (Put(path, f"bash -c '{line}'"),))
    yield RawFinding(
        path,
        f"the submitter's shell interprets {name}: only `{shown}` runs in the cluster, and the "
        "rest runs in the submitter, without GPUs",
        note="put the whole entrypoint into `bash -c '…'`",
        severity="warning",
        fix=None if "'" in line else fix,
    )


def _operator(line: str) -> tuple[int, str] | None:
    """Return the first unquoted shell operator and its position."""
    quote, skip = "", False
    for where, letter in enumerate(line):
        if skip:
            skip = False
        elif letter == "\\" and quote != "'":
            skip = True
        elif quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter == "&" and ">" in (line[where - 1 : where], line[where + 1 : where + 2]):
            # `2>&1`, `&>log`: where output goes.
            continue
        else:
            operator = next(
                (candidate for candidate in _OPERATORS if line.startswith(candidate, where)), None
            )
            if operator is not None:
                return where, operator
    return None


def _driver(obj: Object) -> Iterator[RawFinding]:
    """Check that one pod has the GPUs that the entrypoint itself requests."""
    entrypoint_num_gpus = _job(obj).get("entrypointNumGpus")
    rays = [pod for pod in obj.pods if group_of(pod) is not None]
    if (
        not isinstance(entrypoint_num_gpus, int | float)
        or isinstance(entrypoint_num_gpus, bool)
        or not rays
    ):
        return
    have = [_gpus(pod) for pod in rays]
    most = max(pod_gpus or 0 for pod_gpus in have)
    if None in have or entrypoint_num_gpus <= most:
        return
    yield RawFinding(
        obj.path(*JOBS[obj.kind], "entrypointNumGpus"),
        f"the entrypoint needs a node with {entrypoint_num_gpus:g} GPUs, but no pod of the "
        f"cluster has more than {most}: the job never starts",
        note="lower `entrypointNumGpus`, which counts only the GPUs of the driver itself, not those of its tasks",
    )


def _gpus(pod: Pod) -> int | None:
    """Return the GPUs that Ray assumes for a pod; None if unknown."""
    group = group_of(pod)
    if group is None or pod.claims:
        return None
    first = next(iter(pod.containers), None)
    params = mapping(group.value.get("rayStartParams"))
    if "num-gpus" in params:
        return read_whole(text(params["num-gpus"]))
    return None if group.value.get("resources") or first is None else first.gpus
