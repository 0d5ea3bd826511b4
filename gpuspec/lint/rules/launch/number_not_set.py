"""A variable or label that gives a pod its number, under a controller that does not set it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import msgspec

from gpuspec.kinds import an
from gpuspec.lint.analysis.gangs.jobs import JobSpec, job_specs
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU763",
    "number-not-set",
    "warning",
    "A pod reads its rank or group from something that its controller does not set",
    fix="unsafe",
)


class PodIndexSource(msgspec.Struct, frozen=True):
    """What one controller tells its pods of their place among others."""

    by: str
    kinds: tuple[str, ...]
    """The kinds under which it is set."""
    variables: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    """Labels and annotations of the pods."""


_INDEX = "batch.kubernetes.io/job-completion-index"
_PLUGIN = "a job of Volcano with the plugin `env`"
_GIVEN = (
    PodIndexSource(
        "an Indexed Job", ("Job", "CronJob", "JobSet"), ("JOB_COMPLETION_INDEX",), (_INDEX,)
    ),
    PodIndexSource(
        "a LeaderWorkerSet",
        ("LeaderWorkerSet",),
        ("LWS_LEADER_ADDRESS", "LWS_GROUP_SIZE", "LWS_WORKER_INDEX"),
        (
            "leaderworkerset.sigs.k8s.io/worker-index",
            "leaderworkerset.sigs.k8s.io/group-index",
        ),
    ),
    PodIndexSource(
        "a StatefulSet",
        ("StatefulSet", "LeaderWorkerSet"),
        keys=("apps.kubernetes.io/pod-index", "statefulset.kubernetes.io/pod-name"),
    ),
    PodIndexSource(
        "a JobSet",
        ("JobSet",),
        keys=("jobset.sigs.k8s.io/job-index", "jobset.sigs.k8s.io/job-global-index"),
    ),
    PodIndexSource(
        "a PyTorchJob",
        ("PyTorchJob",),
        ("PET_NNODES", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_RDZV_ENDPOINT"),
    ),
    # Its plugin `env` alone sets them: volcano-sh/volcano pkg/controllers/job/plugins/env.
    PodIndexSource(_PLUGIN, ("Job.batch.volcano.sh",), ("VC_TASK_INDEX", "VK_TASK_INDEX")),
)
# Whose pods get from their controller what is known, and nothing else.
_KINDS = {
    ("apps", "Deployment"),
    ("apps", "ReplicaSet"),
    ("apps", "StatefulSet"),
    ("batch", "CronJob"),
    ("batch", "Job"),
    ("batch.volcano.sh", "Job"),
    ("jobset.x-k8s.io", "JobSet"),
    ("kubeflow.org", "PyTorchJob"),
    ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"),
}
_KEY = re.compile(r"metadata\.(?:labels|annotations)\['([^']+)'\]")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Compare the variables that containers with accelerators read with those that their controller
    sets."""
    owner = pod.object
    if (owner.group, owner.kind) not in _KINDS or not (pod.has_gpu or pod.claims):
        return
    job = next(
        (
            job_spec
            for job_spec in job_specs(owner)
            if pod.base[: len(job_spec.path)] == job_spec.path
        ),
        None,
    )
    for container in pod.every:
        missing_number = next(_read(pod, container, job), None)
        if missing_number is None:
            continue
        name, path, injected, is_variable = missing_number
        unindexed = injected.by == "an Indexed Job" and job is not None
        why = "this Job is not Indexed" if unindexed else f"this is {an(owner.kind)}"
        if injected.by == _PLUGIN and owner.group == "batch.volcano.sh":
            why = "`spec.plugins` has no `env`"
        becomes, end = (
            ("is not set", "") if is_variable else ("does not exist", "the variable is empty, and ")
        )
        yield RawFinding(
            path,
            f"`{name}` {becomes}: only {injected.by} sets it, and {why}, so {end}no rank knows its "
            "number",
            note="add `env: []` to `spec.plugins`"
            if owner.group == "batch.volcano.sh"
            else _note(owner.kind),
            fix=Fix("make the Job Indexed", job.indexing())
            if unindexed and job is not None
            else None,
        )


def _read(
    pod: Pod, container: PodContainer, job: JobSpec | None
) -> Iterator[tuple[str, Path, PodIndexSource, bool]]:
    """Yield values that a container reads and does not get, and whether each is a variable."""
    missing = [injected for injected in _GIVEN if not _is_given(pod, injected, job)]
    for name, (_, entry) in container.env.items():
        source = text(at(entry, ("valueFrom", "fieldRef", "fieldPath")))
        match = _KEY.fullmatch(source)
        own_keys = pod.labels.keys() | pod.annotations.keys()
        for injected in missing:
            if match and match[1] in injected.keys and match[1] not in own_keys:
                path = (*container.env_path(name), "valueFrom", "fieldRef", "fieldPath")
                yield match[1], path, injected, False
    if container.value.get("envFrom"):
        return
    texts = list(_texts(container))
    for injected in missing:
        for variable in injected.variables:
            if variable in container.env or any(
                f"{variable}=" in word_text for word_text, _ in texts
            ):
                continue
            for word_text, path in texts:
                if variable in word_text and _use(variable).search(word_text):
                    yield variable, path, injected, True


def _is_given(pod: Pod, given: PodIndexSource, job: JobSpec | None) -> bool:
    owner = pod.object
    if job is not None and given.by == "an Indexed Job":
        return job.mode == "Indexed"
    name = owner.kind if owner.group != "batch.volcano.sh" else f"{owner.kind}.{owner.group}"
    if given.by == _PLUGIN and "env" not in mapping(owner.spec.get("plugins")):
        return False
    return name in given.kinds


@cache
def _use(name: str) -> re.Pattern[str]:
    """Return a use of a variable that has no default."""
    return re.compile(
        rf"\$\({name}\)|\$\{{{name}\}}|\${name}(?![A-Za-z0-9_])|environ\[[\"']{name}[\"']\]"
    )


def _texts(container: PodContainer) -> Iterator[tuple[str, Path]]:
    for field in ("command", "args"):
        for index, item in enumerate(items(container.value.get(field))):
            if isinstance(item, str):
                yield item, container.path(field, index)
    for name in container.env:
        value = container.env_value(name)
        if value:
            yield value, (*container.env_path(name), "value")


def _note(kind: str) -> str | None:
    return {
        "StatefulSet": "read the label `apps.kubernetes.io/pod-index`, which a StatefulSet's pods have",
        "LeaderWorkerSet": "read the variable `LWS_WORKER_INDEX`, which a LeaderWorkerSet's pods have",
        "JobSet": "read the variable `JOB_COMPLETION_INDEX`, which a JobSet's pods have",
        "Deployment": "use a StatefulSet or an Indexed Job: a Deployment's pods have no numbers",
    }.get(kind)
