"""JobSet (0.12): workers, and roles beside them, that start and restart together. Sources: its CRD, webhook and controller."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from gpuspec.numbers import is_digits
from gpuspec.plan import gangs, jobs, queueing
from gpuspec.plan.case import Case, Refused
from gpuspec.plan.facets import JobPlan, NodeMap, Part, PodPlan, Role
from gpuspec.plan.leaf import Leaf, Node, Note, Origin, derived, from_spec
from gpuspec.plan.names import suffix_of, unnamed
from gpuspec.plan.target import Beside, Carried, Needs, Ranks, Target
from gpuspec.spec import TrainingFields
from gpuspec.spec.layout import LONGEST
from gpuspec.targets import _roles

ROLE = "worker"
DEADLINE = "stopped {longest} after each start of the set: a hung run holds its GPUs"
MOST_BEFORE = 5
"""Jobs that another may wait for."""
_ORDER = ("before", "with", "after")


class ReplicatedJobPlan(msgspec.Struct, frozen=True):
    """One Job of a JobSet: the pods of one role."""

    name: Node
    group: Node
    replicas: Node
    depends_on: Node
    job: JobPlan
    pod: PodPlan


class JobSetPlan(msgspec.Struct, frozen=True):
    """A JobSet of a Job for each role; what its webhook would fill in is written out."""

    name: Node
    labels: NodeMap
    annotations: NodeMap
    jobs: tuple[ReplicatedJobPlan, ...]
    network: NodeMap
    success: Node
    deciding: Node
    startup: Node
    max_restarts: Node
    restart_strategy: Node
    rules: Node
    ttl: Node


def _fields(of: Carried) -> Mapping[str, Part]:
    spec = of.case.spec
    assert isinstance(spec, TrainingFields)
    deciding = _roles.deciding({name: role.ends for name, role in of.roles.items()})
    jobset = JobSetPlan(
        name=of.name,
        labels=queueing.labels(of.case),
        annotations=jobs.annotations(of),
        # Jobs are made in this order, and wait for what stands before them.
        jobs=tuple(
            _job(of, spec, name)
            for name in sorted(of.roles, key=lambda name: _ORDER.index(of.roles[name].starts))
        ),
        network={
            "enableDNSHostnames": derived("jobset", True, "workers find each other by host names"),
            "subdomain": Leaf(of.name.value, "their host names lie under it", of.name.origin),
            "publishNotReadyAddresses": derived(
                "jobset", True, "workers look each other up before they are ready"
            ),
        },
        success=derived("jobset", "All", f"done when the Job of {' and '.join(deciding)} is"),
        deciding=_targets(of.roles, deciding),
        startup=derived("jobset", "AnyOrder", "what is filled in where it is unset"),
        max_restarts=jobs.retries(
            of.case,
            spec.retries.limit,
            "restarts of all pods together, whichever failed; disruptions do not count",
        ),
        restart_strategy=derived(
            "jobset", "BlockingRecreate", "all old pods let go of their GPUs before new ones come"
        ),
        rules=derived(
            "jobset",
            _rules(spec.retries.ending, bounded=spec.duration.max is not None),
            "a disruption restarts all and counts as no failure; what no retry can mend, and a run "
            "that is out of time, ends it",
        ),
        ttl=jobs.ttl(spec),
    )
    return {"jobset": jobset}


def _job(of: Carried, spec: TrainingFields, name: str) -> ReplicatedJobPlan:
    """The Job of one role. Its deadline holds where the workers wait for it in vain, too."""
    role = of.roles[name]
    job = replace(
        jobs.gang(of, spec, indexed=True),
        labels={},
        annotations={},
        completions=role.count,
        parallelism=role.count,
        backoff_limit=derived("jobset", 0, "the first failure ends the Job: all restart together"),
        deadline=jobs.deadline(spec, DEADLINE),
        ttl=None,
        pod_failure_policy=derived(
            "jobset",
            {"rules": jobs.failure_rules(spec.retries.ending, "FailJob")},
            "the JobSet is told why a pod has failed",
        ),
    )
    named = "part of its pods' names"
    return ReplicatedJobPlan(
        name=from_spec((*role.path, "name"), name, named)
        if role.path
        else derived("jobset", name, named),
        group=derived("jobset", "default", "what is filled in where it is unset"),
        replicas=derived("jobset", 1, "one Job has all its pods"),
        depends_on=_depends_on(of.roles, role),
        job=job,
        pod=role.pod,
    )


def _depends_on(roles: Mapping[str, Role], role: Role) -> Node:
    """What a role waits for: with the workers for all that start before, after them for them."""
    if role.starts == "before":
        return None
    first = {name: one for name, one in roles.items() if one.starts == "before"}
    awaited = first if role.starts == "with" else {ROLE: roles[ROLE]}
    if not awaited:
        return None
    value = [{"name": name, "status": _status(one)} for name, one in awaited.items()]
    said = [f"{one['name']} is {one['status'].lower()}" for one in value]
    path = role.path if role.starts == "after" else next(iter(awaited.values())).path
    return from_spec((*path, "starts"), value, f"starts when {' and '.join(said)}")


def _status(role: Role) -> str:
    return "Complete" if (role.starts, role.ends) == ("before", "by-itself") else "Ready"


def _targets(roles: Mapping[str, Role], deciding: list[str]) -> Node:
    """Nothing where all Jobs are to be done."""
    if len(deciding) == len(roles):
        return None
    path = next((roles[name].path for name in deciding if roles[name].path), None)
    why = "the run is done when these are; others are ended then"
    return from_spec((*path, "ends") if path else ("spec", "roles"), deciding, why)


def _rules(codes: tuple[int, ...], *, bounded: bool) -> list[dict[str, Any]]:
    """What becomes of the set, by the reason and the words of the Job's failure; else all restart."""
    told = {"onJobFailureReasons": ["PodFailurePolicy"]}
    rules: list[dict[str, Any]] = [
        {
            "name": "disruption",
            "action": "RestartJobSetAndIgnoreMaxRestarts",
            **told,
            "onJobFailureMessagePatterns": ["has condition DisruptionTarget"],
        }
    ]
    if codes:
        failed = {"onJobFailureMessagePatterns": ["failed with exit code"]}
        rules.append({"name": "exitCode", "action": "FailJobSet", **told, **failed})
    if bounded:
        late = {"onJobFailureReasons": ["DeadlineExceeded"]}
        rules.append({"name": "deadline", "action": "FailJobSet", **late})
    return rules


def _refused(case: Case) -> list[Refused]:
    """Names of pods that would be too long, or that begin with a digit; too much to wait for."""
    name, workload = unnamed(case), case.workload
    own = suffix_of(case)
    place = workload.place(("spec", "run") if own == "-<run>" else ("metadata", "name"))
    found: list[Refused] = []
    if is_digits(name[:1]):
        text = "a JobSet's Jobs are named after it, and their names begin with a letter"
        found.append(Refused(text, workload.place(("metadata", "name"))))
    pods = [(ROLE, case.workers, place)]
    pods += [
        (role.name, role.count, workload.place(("spec", "roles", index, "name")))
        for index, role in enumerate(case.roles)
    ]
    for role, count, where in pods:
        longest = len(f"{name}-{role}-0-{count - 1}-abcde")
        if longest > LONGEST:
            shape = f"<name>{own}-{role}-0-<index>-<5 letters>"
            text = f"the names of its pods have {longest} characters, {longest - LONGEST} too many"
            hint = f"they are {shape}, {LONGEST} characters at most"
            found.append(Refused(text, where, hint))
    first = [role.name for role in case.roles if role.starts == "before"]
    if len(first) > MOST_BEFORE:
        text = f"the workers of a JobSet wait for {MOST_BEFORE} roles at most, not {len(first)}"
        found.append(Refused(text, workload.place(("spec", "roles"))))
    return found


def _notes(case: Case) -> list[Note]:
    """A loud word where nothing bounds the time of all restarts together."""
    spec = case.spec
    assert isinstance(spec, TrainingFields)
    longest = spec.duration.max
    if longest is None or gangs.is_kueues(case):
        return []
    text = (
        f"`duration.max` ({longest}) begins anew with each restart of a JobSet, after a disruption "
        "too: only a queue bounds the sum"
    )
    return [Note(text, Origin("spec", ("spec", "duration", "max")), loud=True)]


def _host(jobset: str, role: str, index: int) -> str:
    return f"{jobset}-{role}-0-{index}.{jobset}"


TARGET = Target(
    name="jobset",
    api="jobset.x-k8s.io/v1alpha2",
    kind="JobSet",
    intents=("gang",),
    roles=(ROLE,),
    fields=_fields,
    # Rules by the words of a failure came with 0.10.
    needs=Needs("jobset", since="0.10", checked="0.12"),
    ranks=Ranks(
        variable=jobs.RANK,
        field=jobs.RANK_FIELD,
        why=jobs.RANK_WHY,
        first=lambda jobset: _host(jobset, ROLE, 0),
        pods="jobset.sigs.k8s.io/jobset-name",
        network=True,
    ),
    beside=Beside(host=_host, label="jobset.sigs.k8s.io/replicatedjob-name"),
    queued=True,
    numbered=True,
    wrapped=True,
    once=True,
    refused=_refused,
    notes=_notes,
)
