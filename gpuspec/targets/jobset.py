"""JobSet (0.12): workers and other roles that start and restart together. Sources: its CRD, webhook
and controller."""

from collections.abc import Mapping

from gpuspec.plan import gangs, jobs
from gpuspec.plan.decision import Note, Origin
from gpuspec.plan.facets import Part
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.target import Ranks, Target, TargetInput, TargetRequirement
from gpuspec.spec import TrainingFields
from gpuspec.targets import _jobset

ROLE = "worker"


def _fields(of: TargetInput) -> Mapping[str, Part]:
    return {"jobset": _jobset.jobset(of)}


def _refused(resolution: Resolution) -> list[RefusalReason]:
    return _jobset.refused(resolution, TARGET.kind, ROLE)


def _notes(resolution: Resolution) -> list[Note]:
    """Return a loud note if nothing limits the total time of all restarts."""
    spec = resolution.spec
    assert isinstance(spec, TrainingFields)
    longest = spec.duration.max
    if longest is None or gangs.is_kueues(resolution):
        return []
    text = (
        f"`duration.max` ({longest}) starts over with each restart of a JobSet, also after a "
        "disruption: only a queue limits the total"
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
    needs=TargetRequirement("jobset", since="0.10", checked="0.12"),
    ranks=Ranks(
        variable=jobs.RANK,
        field=jobs.RANK_FIELD,
        why=jobs.RANK_WHY,
        first=lambda jobset: _jobset.host(jobset, ROLE, 0),
        pods="jobset.sigs.k8s.io/jobset-name",
        network=True,
    ),
    beside=_jobset.BESIDE,
    queued=True,
    numbered=True,
    wrapped=True,
    once=True,
    refused=_refused,
    notes=_notes,
)
