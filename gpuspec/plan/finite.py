"""The plan of finite work: training, and batches."""

from gpuspec.plan import containers, hub, jobs, launch, metadata, names, network, queueing
from gpuspec.plan.distribution import JOB_LABEL, near
from gpuspec.plan.facets import NodeMap, Plan
from gpuspec.plan.leaf import Leaf, derived, from_spec
from gpuspec.plan.parts import Parts, account, overrides
from gpuspec.spec import BatchInferenceSpec, TrainingFields


def training(parts: Parts, spec: TrainingFields, template_digest: str | None) -> Plan:
    """A Job whose pods start together; `template_digest`: see `names.job_name`."""
    case = parts.case
    name = names.job_name(case, template_digest)
    finite = jobs.training_job(case, spec, name, *_job_metadata(parts, scheduled=False))
    service = Leaf(name.value, "the workers' host names lie under it", name.origin)
    start = launch.launch(case, spec, name, service)
    main = parts.main(
        command=start.command,
        args=start.args,
        env=containers.environment(case, (*hub.token(case), *start.env)),
    )
    several = spec.workers > 1
    pod = parts.pod(
        main,
        restart=_never(),
        grace=finite.grace,
        annotations={**finite.pod_annotations, **queueing.topology_annotations(case)},
        account=account(case, None),
        subdomain=service if several else None,
        together=near(case, spec, name),
    )
    selector = {JOB_LABEL: Leaf(name.value, "the Job's pods", name.origin)}
    return Plan(
        case=case,
        overrides=overrides(case),
        target=derived("target", "job", "a plain Job: no operator is required"),
        meta=parts.meta,
        pod=pod,
        job=finite.job,
        service=network.headless(service, selector, launch.PORT) if several else None,
        notes=(
            *parts.notes,
            *finite.notes,
            *start.notes,
            *queueing.gang_notes(case),
        ),
    )


def batch(parts: Parts, spec: BatchInferenceSpec, template_digest: str | None) -> Plan:
    """A Job of shards, or a CronJob; `template_digest`: see `names.job_name`."""
    case = parts.case
    name = names.job_name(case, template_digest)
    scheduled = spec.schedule is not None
    finite = jobs.batch_job(case, spec, name, *_job_metadata(parts, scheduled=scheduled))
    count = from_spec(("spec", "shards", "count"), str(spec.shards.count), "how many shards")
    main = parts.main(
        command=from_spec(("spec", "command"), list(spec.command) or None, "as the spec says"),
        args=from_spec(("spec", "args"), list(spec.args) or None, "as the spec says"),
        env=containers.environment(case, hub.token(case), {"SHARD_COUNT": count}),
    )
    pod = parts.pod(
        main,
        restart=_never(),
        grace=finite.grace,
        annotations=finite.pod_annotations,
        account=account(case, None),
    )
    return Plan(
        case=case,
        overrides=overrides(case),
        target=derived(
            "target", "cronjob" if scheduled else "job", "finite work is a Job, by schedule or not"
        ),
        meta=parts.meta,
        pod=pod,
        job=finite.job,
        cron=finite.cron,
        notes=(*parts.notes, *finite.notes),
    )


def _job_metadata(parts: Parts, *, scheduled: bool) -> tuple[NodeMap, NodeMap]:
    """Labels and annotations of the Job itself; a CronJob's template has no provenance of its own."""
    case = parts.case
    labels = {**metadata.labels(case), **queueing.queue_labels(case)}
    own = queueing.queue_annotations(case)
    return labels, own if scheduled else {**parts.meta.annotations, **own}


def _never() -> Leaf:
    return derived("job", "Never", "the Job replaces a failed pod and counts it")
