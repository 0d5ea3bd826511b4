"""The plan of finite work: training, and batches."""

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
    queueing,
)
from gpuspec.plan.distribution import MOST_AT_ONCE, alone, at_once, near
from gpuspec.plan.facets import Plan, Role, objects
from gpuspec.plan.leaf import Leaf, Note, derived, from_spec
from gpuspec.plan.parts import Parts, account, overrides
from gpuspec.plan.target import Carried
from gpuspec.spec import BatchInferenceSpec, TrainingFields


def training(parts: Parts, spec: TrainingFields, name: Leaf) -> Plan:
    """Workers that start together and find each other."""
    case, target = parts.case, parts.choice.target
    ranks = target.ranks
    assert ranks is not None
    service = Leaf(name.value, "the workers' host names lie under it", name.origin)
    start = (
        target.launch(case, spec, name) if target.launch else launch.launch(case, spec, ranks, name)
    )
    told: tuple[Leaf, ...] = ()
    if spec.roles:
        # Imported only for specs that have some: start-up counts.
        from gpuspec.plan import roles

        told = roles.addresses(target, spec, name)
    main = parts.main(
        command=start.command,
        args=start.args,
        env=containers.environment(case, (*hub.token(case), *start.env, *told)),
    )
    # Whoever makes the Service also says in each pod that its host name lies there.
    own_service = spec.workers > 1 and not ranks.network
    grace, short = interruption.saving(case, spec)
    pod = parts.pod(
        main,
        name=name,
        restart=_never(),
        grace=grace,
        annotations={
            **interruption.no_consolidation(interruption.LOST),
            **queueing.pod_annotations(case, target),
        },
        account=account(case, None),
        subdomain=service if own_service else None,
        together=near(case, target, name),
        apart=alone(case, target, name),
    )
    selector = {ranks.pods: Leaf(name.value, f"the {target.kind}'s pods", name.origin)}
    workers = from_spec(("spec", "workers"), spec.workers, "one pod per worker")
    pods, sums = {target.roles[0]: Role(pod, workers)}, list[Note]()
    if spec.roles:
        pods |= roles.beside(parts, spec, pod, told)
        sums = roles.notes(case, spec)
    carried = Carried(case, name, parts.meta, pods, digest=parts.digest)
    carried = replace(carried, roles=target.pods(carried))
    if len(carried.roles) > 1:
        from gpuspec.plan import crowded_out

        sums += crowded_out.notes(case, carried.roles, target.roles[0])
    carrier, around = target.object, list[Note]()
    if case.wrapped:
        from gpuspec.plan import wrapping

        carrier, around = partial(wrapping.wrapped, target), wrapping.notes(case)
    files = target.files(carried)
    # A ConfigMap that pods read, which is applied before what names other objects.
    read = [one for one in files if "files" in one.parts]
    return Plan(
        case=case,
        overrides=overrides(case),
        target=parts.choice.leaf,
        name=name,
        meta=parts.meta,
        roles=carried.roles,
        objects=objects(
            *read,
            *device_claims.objects(case, name),
            *(one for one in files if one not in read),
            (
                "service",
                "service",
                network.headless(service, selector, launch.PORT) if own_service else None,
            ),
            carrier(carried),
        ),
        notes=(
            *parts.notes,
            *sums,
            *around,
            *short,
            *start.notes,
            *queueing.gang_notes(case, target),
            *names.notes(case, target),
            *lasting.notes(case, target),
        ),
    )


def batch(parts: Parts, spec: BatchInferenceSpec, name: Leaf) -> Plan:
    """Shards, each a piece of its own."""
    case, target = parts.case, parts.choice.target
    count = from_spec(("spec", "shards", "count"), str(spec.shards.count), "how many shards")
    main = parts.main(
        command=from_spec(("spec", "command"), list(spec.command) or None, "as the spec says"),
        args=from_spec(("spec", "args"), list(spec.args) or None, "as the spec says"),
        env=containers.environment(case, hub.token(case), {"SHARD_COUNT": count}),
    )
    pod = parts.pod(
        main,
        name=name,
        restart=_never(),
        grace=interruption.shard_grace(spec),
        annotations={
            **interruption.no_consolidation(interruption.AGAIN),
            **queueing.pod_annotations(case, target),
        },
        account=account(case, None),
    )
    pods = {target.roles[0]: Role(pod, _parallelism(spec))}
    return Plan(
        case=case,
        overrides=overrides(case),
        target=parts.choice.leaf,
        name=name,
        meta=parts.meta,
        roles=pods,
        objects=objects(
            *device_claims.objects(case, name),
            target.object(Carried(case, name, parts.meta, pods)),
        ),
        notes=(*parts.notes, *names.notes(case, target), *lasting.notes(case, target)),
    )


def _parallelism(spec: BatchInferenceSpec) -> Leaf:
    if spec.shards.parallelism is not None:
        return from_spec(("spec", "shards", "parallelism"), at_once(spec), "shards at a time")
    reason = f"all shards at a time, {MOST_AT_ONCE} at most unless the spec says more"
    return derived("job", at_once(spec), reason)


def _never() -> Leaf:
    return derived("job", "Never", "its Job decides what becomes of a pod that has failed")
