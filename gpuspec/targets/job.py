"""Job: workers that start together, or shards. It comes with Kubernetes."""

from collections.abc import Mapping

from gpuspec.plan import jobs
from gpuspec.plan.facets import Part
from gpuspec.plan.target import Carried, Ranks, Target
from gpuspec.spec import BatchInferenceSpec, TrainingFields


def _fields(of: Carried) -> Mapping[str, Part]:
    spec = of.case.spec
    if isinstance(spec, TrainingFields):
        return {"job": jobs.gang(of, spec, indexed=spec.workers > 1)}
    assert isinstance(spec, BatchInferenceSpec)
    return {"job": jobs.shards(of, spec)}


TARGET = Target(
    name="job",
    api="batch/v1",
    kind="Job",
    intents=("gang", "shards"),
    roles=("worker",),
    fields=_fields,
    ranks=Ranks(
        variable=jobs.RANK,
        field=jobs.RANK_FIELD,
        why=jobs.RANK_WHY,
        # A Service of the Job's name gives its pods their host names.
        first=lambda job: f"{job}-0.{job}",
        pods="batch.kubernetes.io/job-name",
    ),
    queued=True,
    numbered=True,
    once=True,
)
