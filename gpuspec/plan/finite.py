"""The plan of finite workloads: training, and batches."""

from functools import partial

from msgspec.structs import replace

from gpuspec.plan import (
    containers,
    device_claims,
    hub,
    interruption,
    lasting,
    launch,
    names,
    network,
    observing,
    queueing,
)
from gpuspec.plan.common_facets import CommonFacets, account, overrides
from gpuspec.plan.decision import Decision, Note, derived, from_spec
from gpuspec.plan.distribution import MOST_AT_ONCE, alone, at_once, near
from gpuspec.plan.facets import Plan, PodRole, objects
from gpuspec.plan.target import TargetInput
from gpuspec.spec import BatchInferenceSpec, TrainingFields


def training(parts: CommonFacets, spec: TrainingFields, name: Decision) -> Plan:
    """Return the plan of workers that start together and form a process group."""
    resolution, target = parts.resolution, parts.choice.target
    ranks = target.ranks
    assert ranks is not None
    service = Decision(name.value, "the workers' host names lie under it", name.origin)
    start = (
        target.launch(resolution, spec, name)
        if target.launch
        else launch.launch(resolution, spec, ranks, name)
    )
    decisions: tuple[Decision, ...] = ()
    if spec.roles:
        # Imported only for specs that have some: start-up counts.
        from gpuspec.plan import roles

        decisions = roles.addresses(target, spec, name)
    main = parts.main(
        command=start.command,
        args=start.args,
        env=containers.environment(resolution, (*hub.token(resolution), *start.env, *decisions)),
        ports=observing.container_port(resolution, {}),
    )
    # Whoever makes the Service also says in each pod that its host name lies there.
    own_service = spec.workers > 1 and not ranks.network
    grace, short = interruption.saving(resolution, spec)
    pod = parts.pod(
        main,
        name=name,
        restart=_never(),
        grace=grace,
        annotations={
            **interruption.no_consolidation(interruption.LOST),
            **queueing.pod_annotations(resolution, target),
            **observing.annotations(resolution, {}, target),
        },
        account=account(resolution, None),
        subdomain=service if own_service else None,
        together=near(resolution, target, name),
        apart=alone(resolution, target, name),
    )
    selector = {ranks.pods: Decision(name.value, f"the {target.kind}'s pods", name.origin)}
    workers = from_spec(("spec", "workers"), spec.workers, "one pod per worker")
    pods, sums = {target.roles[0]: PodRole(pod, workers)}, list[Note]()
    if spec.roles:
        pods |= roles.beside(parts, spec, pod, decisions)
        sums = roles.notes(resolution, spec)
    carried = TargetInput(resolution, name, parts.meta, pods, digest=parts.digest)
    carried = replace(carried, roles=target.pods(carried))
    if len(carried.roles) > 1:
        from gpuspec.plan import crowded_out

        sums += crowded_out.notes(resolution, carried.roles, target.roles[0])
    carrier, around = target.object, list[Note]()
    if resolution.wrapped:
        from gpuspec.plan import wrapping

        carrier, around = partial(wrapping.wrapped, target), wrapping.notes(resolution)
    watched = observing.observed(resolution, parts.meta, target, {})
    files = target.files(carried)
    # A ConfigMap that pods read, which is applied before what names other objects.
    object_plans = [file for file in files if "files" in file.parts]
    return Plan(
        resolution=resolution,
        overrides=overrides(resolution),
        target=parts.choice.decision,
        name=name,
        meta=parts.meta,
        roles=carried.roles,
        objects=objects(
            *object_plans,
            *device_claims.objects(resolution, name),
            *watched.early,
            *(file for file in files if file not in object_plans),
            (
                "service",
                "service",
                network.headless(service, selector, launch.PORT) if own_service else None,
            ),
            carrier(carried),
            *watched.late,
        ),
        notes=(
            *parts.notes,
            *sums,
            *around,
            *short,
            *start.notes,
            *watched.notes,
            *queueing.gang_notes(resolution, target),
            *names.notes(resolution, target),
            *lasting.notes(resolution, target),
        ),
    )


def batch(parts: CommonFacets, spec: BatchInferenceSpec, name: Decision) -> Plan:
    """Return the plan of independent shards."""
    resolution, target = parts.resolution, parts.choice.target
    count = from_spec(("spec", "shards", "count"), str(spec.shards.count), "how many shards")
    main = parts.main(
        command=from_spec(("spec", "command"), list(spec.command) or None, "as the spec says"),
        args=from_spec(("spec", "args"), list(spec.args) or None, "as the spec says"),
        env=containers.environment(resolution, hub.token(resolution), {"SHARD_COUNT": count}),
        ports=observing.container_port(resolution, {}),
    )
    pod = parts.pod(
        main,
        name=name,
        restart=_never(),
        grace=interruption.shard_grace(spec),
        annotations={
            **interruption.no_consolidation(interruption.AGAIN),
            **queueing.pod_annotations(resolution, target),
            **observing.annotations(resolution, {}, target),
        },
        account=account(resolution, None),
    )
    pods = {target.roles[0]: PodRole(pod, _parallelism(spec))}
    watched = observing.observed(resolution, parts.meta, target, {})
    return Plan(
        resolution=resolution,
        overrides=overrides(resolution),
        target=parts.choice.decision,
        name=name,
        meta=parts.meta,
        roles=pods,
        objects=objects(
            *device_claims.objects(resolution, name),
            *watched.early,
            target.object(TargetInput(resolution, name, parts.meta, pods)),
            *watched.late,
        ),
        notes=(
            *parts.notes,
            *watched.notes,
            *names.notes(resolution, target),
            *lasting.notes(resolution, target),
        ),
    )


def _parallelism(spec: BatchInferenceSpec) -> Decision:
    if spec.shards.parallelism is not None:
        return from_spec(("spec", "shards", "parallelism"), at_once(spec), "shards at a time")
    reason = f"all shards at a time, at most {MOST_AT_ONCE} unless the spec sets more"
    return derived("job", at_once(spec), reason)


def _never() -> Decision:
    return derived("job", "Never", "its Job decides whether a failed pod is retried")
