"""JobSet (0.12): workers that start and restart together. Sources: its CRD, webhook and controller."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from gpuspec.numbers import is_digits
from gpuspec.plan import jobs, queueing
from gpuspec.plan.case import Case, Refused
from gpuspec.plan.facets import NodeMap, Part
from gpuspec.plan.leaf import Leaf, Node, Note, Origin, derived, from_spec
from gpuspec.plan.names import unnamed
from gpuspec.plan.target import Carried, Needs, Ranks, Target
from gpuspec.spec import TrainingFields

ROLE = "worker"
DEADLINE = "stopped {longest} after each start of the set: a hung run holds its GPUs"
LONGEST = 63
"""Characters of a pod's name, which is a host name too."""


class JobSetPlan(msgspec.Struct, frozen=True):
    """A JobSet around one Job; what its webhook would fill in is written out."""

    name: Node
    labels: NodeMap
    annotations: NodeMap
    job: Node
    group: Node
    replicas: Node
    network: NodeMap
    success: Node
    startup: Node
    max_restarts: Node
    restart_strategy: Node
    rules: Node


def _fields(of: Carried) -> Mapping[str, Part]:
    spec = of.case.spec
    assert isinstance(spec, TrainingFields)
    codes = spec.retries.fail_on_exit_codes
    jobset = JobSetPlan(
        name=of.name,
        labels=queueing.labels(of.case),
        annotations=jobs.annotations(of),
        job=derived("jobset", ROLE, "part of its pods' names"),
        group=derived("jobset", "default", "what is filled in where it is unset"),
        replicas=derived("jobset", 1, "one Job has all the workers"),
        network={
            "enableDNSHostnames": derived("jobset", True, "workers find each other by host names"),
            "subdomain": Leaf(of.name.value, "their host names lie under it", of.name.origin),
            "publishNotReadyAddresses": derived(
                "jobset", True, "workers look each other up before they are ready"
            ),
        },
        success=derived("jobset", "All", "done when its Job is"),
        startup=derived("jobset", "AnyOrder", "what is filled in where it is unset"),
        max_restarts=from_spec(
            ("spec", "retries", "limit"),
            spec.retries.limit,
            "restarts of all workers together; disruptions do not count",
        ),
        restart_strategy=derived(
            "jobset", "BlockingRecreate", "all old pods let go of their GPUs before new ones come"
        ),
        rules=derived(
            "jobset",
            _rules(codes, bounded=spec.duration.max is not None),
            "a disruption restarts all and counts as no failure; what no retry can mend, and a run "
            "that is out of time, ends it",
        ),
    )
    job = replace(
        jobs.gang(of, spec, indexed=True),
        labels={},
        annotations={},
        backoff_limit=derived("jobset", 0, "the first failure ends the Job: all restart together"),
        deadline=jobs.deadline(spec, DEADLINE),
        pod_failure_policy=derived(
            "jobset",
            {"rules": jobs.failure_rules(codes, "FailJob")},
            "the JobSet is told why a pod has failed",
        ),
    )
    return {"jobset": jobset, "job": job}


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
    """Names of pods that would be too long, or that begin with a digit."""
    name = unnamed(case)
    pod = f"{name}-{ROLE}-0-{case.workers - 1}-abcde"
    found: list[Refused] = []
    if is_digits(name[:1]):
        text = "a JobSet's Jobs are named after it, and their names begin with a letter"
        found.append(Refused(text, case.workload.place(("metadata", "name"))))
    if (over := len(pod) - LONGEST) > 0:
        run = getattr(case.spec, "run", None)
        place = case.workload.place(("metadata", "name") if run is None else ("spec", "run"))
        shape = f"<name>-{'<digest>' if run is None else '<run>'}-{ROLE}-0-<index>-<5 letters>"
        text = f"the names of its pods have {len(pod)} characters, {over} too many"
        found.append(Refused(text, place, f"they are {shape}, {LONGEST} characters at most"))
    return found


def _notes(case: Case) -> list[Note]:
    """A loud word where nothing bounds the time of all restarts together."""
    spec = case.spec
    assert isinstance(spec, TrainingFields)
    longest = spec.duration.max
    if longest is None or spec.queue is not None:
        return []
    text = (
        f"`duration.max` ({longest}) begins anew with each restart of a JobSet, after a disruption "
        "too: only a queue bounds the sum"
    )
    return [Note(text, Origin("spec", ("spec", "duration", "max")), loud=True)]


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
        first=lambda jobset: f"{jobset}-{ROLE}-0-0.{jobset}",
        pods="jobset.sigs.k8s.io/jobset-name",
        network=True,
    ),
    once=True,
    refused=_refused,
    notes=_notes,
)
