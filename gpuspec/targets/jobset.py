"""JobSet (0.12): workers, and roles beside them, that start and restart together. Sources: its CRD, webhook and controller."""

from collections.abc import Mapping

from gpuspec.numbers import is_digits
from gpuspec.plan import gangs, jobs
from gpuspec.plan.case import Case, Refused
from gpuspec.plan.facets import Part
from gpuspec.plan.leaf import Note, Origin
from gpuspec.plan.names import suffix_of, unnamed
from gpuspec.plan.target import Beside, Carried, Needs, Ranks, Target
from gpuspec.spec import TrainingFields
from gpuspec.spec.layout import LONGEST
from gpuspec.targets import _jobset

ROLE = "worker"
MOST_BEFORE = 5
"""Jobs that another may wait for."""


def _fields(of: Carried) -> Mapping[str, Part]:
    return {"jobset": _jobset.jobset(of)}


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
