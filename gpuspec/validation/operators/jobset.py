"""JobSets.

Source: sigs.k8s.io/jobset v0.12.0, pkg/webhooks/jobset_webhook.go. Rules of the linter check that
jobs depend on earlier jobs, and that a success policy names existing jobs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.manifests import label_value
from gpuspec.numbers import INT32
from gpuspec.validation.apiserver.reading import inner, maps, number, refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.validation.apiserver.reading import Map, Relation
    from gpuspec.validation.violation import SchemaViolation

_JOBS = ("spec", "replicatedJobs")
_JOB = ("template", "spec")
_POD = (*_JOB, "template", "spec")
_LONGEST_CLAIM = 63


def jobs(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check the number of pods."""
    for index, job in maps(inner(value, "spec"), "replicatedJobs"):
        pods = number(job, "replicas", 1) * (inner(job, *_JOB).get("parallelism") or 1)
        if pods > INT32:
            yield refused(
                (*_JOBS, index, "replicas"),
                f"{pods} pods are more than the maximum, {INT32}",
            )


def failure(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that rules have unique names, and name existing jobs."""
    names = {job.get("name") for _, job in maps(inner(value, "spec"), "replicatedJobs")}
    names_seen = set()
    for index, rule in maps(inner(value, "spec", "failurePolicy"), "rules"):
        path: Path = ("spec", "failurePolicy", "rules", index)
        name = rule.get("name") or f"failurePolicyRule{index}"
        if name in names_seen:
            yield refused((*path, "name"), f"another rule has the name `{name}` too")
        names_seen.add(name)
        for at, target in enumerate(rule.get("targetReplicatedJobs") or ()):
            if target not in names:
                yield refused(
                    (*path, "targetReplicatedJobs", at), f"no job has the name `{target}`"
                )


def coordinator(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that the coordinator is an existing pod, and that its name fits into a label."""
    spec, path = inner(value, "spec"), ("spec", "coordinator")
    if spec.get("coordinator") is None:
        return
    coordinator_fields = inner(spec, "coordinator")
    name, pod = coordinator_fields.get("replicatedJob"), coordinator_fields.get("podIndex") or 0
    job = next(
        (
            replicated_job
            for _, replicated_job in maps(spec, "replicatedJobs")
            if replicated_job.get("name") == name
        ),
        None,
    )
    if job is None:
        message = f"no job has the name `{name}`" if name else "it is missing"
        yield refused((*path, "replicatedJob"), message)
        return
    index, job_count, of = (
        coordinator_fields.get("jobIndex") or 0,
        number(job, "replicas", 1),
        inner(job, *_JOB),
    )
    if not 0 <= index < job_count:
        yield refused(
            (*path, "jobIndex"), f"`{name}` has no Job {index}: its `replicas` is {job_count}"
        )
    elif of.get("completionMode") not in (None, "Indexed") or of.get("completions") is None:
        yield refused(
            path, f"the Jobs of `{name}` need `completionMode: Indexed` and `completions`"
        )
    elif not 0 <= pod < of["completions"]:
        yield refused(
            (*path, "podIndex"),
            f"`{name}` has no pod {pod}: its `completions` is {of['completions']}",
        )
    yield from _address(value, f"{name}-{index}-{pod}")


def _address(value: Map, pod: str) -> Iterator[SchemaViolation]:
    name = inner(value, "metadata").get("name") or ""
    address = f"{name}-{pod}.{inner(value, 'spec', 'network').get('subdomain') or name}"
    if name and (problem := label_value(address)):
        yield refused(
            ("spec", "coordinator"),
            f"the coordinator's address becomes a label, and `{address}` {problem}",
        )


def volumes(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that claims have unique names, which some container mounts and no pod's volume has."""
    spec, names_seen = inner(value, "spec"), set()
    owner = inner(value, "metadata").get("name") or ""
    for index, policy in maps(spec, "volumeClaimPolicies"):
        for at, template in maps(policy, "templates"):
            name = inner(template, "metadata").get("name") or ""
            path = ("spec", "volumeClaimPolicies", index, "templates", at, "metadata", "name")
            if not name:
                yield refused(path, "its name is missing")
                continue
            if name in names_seen:
                yield refused(path, f"another template has the name `{name}` too")
            names_seen.add(name)
            if len(f"{name}-{owner}") > _LONGEST_CLAIM:
                yield refused(
                    path,
                    f"the claim's name `{name}-{owner}` is longer than {_LONGEST_CLAIM} characters",
                )
            yield from _mounted(spec, name, path)


def _mounted(spec: Map, name: str, path: Path) -> Iterator[SchemaViolation]:
    mounted = False
    for index, job in maps(spec, "replicatedJobs"):
        pod = inner(job, *_POD)
        for at, volume in maps(pod, "volumes"):
            if volume.get("name") == name:
                yield refused(
                    (*_JOBS, index, *_POD, "volumes", at, "name"),
                    f"JobSet already makes a volume `{name}` from the claim template of that name",
                )
        mounted = mounted or any(
            mount.get("name") == name
            for part in ("initContainers", "containers")
            for _, container in maps(pod, part)
            for _, mount in maps(container, "volumeMounts")
        )
    if not mounted:
        yield refused(path, f"no container mounts a volume `{name}`")


FILLED = {"jobset.v1alpha2.JobSet": (("spec", "failurePolicy", "rules", "*", "name"),)}
ZERO: dict[str, dict[Path, str]] = {"jobset.v1alpha2.JobSet": {(*_JOBS, "*", "name"): '""'}}
RELATIONS: dict[str, tuple[Relation, ...]] = {
    "jobset.v1alpha2.JobSet": (jobs, failure, coordinator, volumes),
}
