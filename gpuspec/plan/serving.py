"""The plan of a model server."""

from gpuspec import runtimes
from gpuspec.plan import (
    adapters,
    containers,
    context_length,
    exchange,
    exposed,
    hub,
    metadata,
    network,
    picker,
    placeholder,
    policy,
    probes,
    queueing,
    rollout,
    scaling,
    server,
    serves,
    traffic,
)
from gpuspec.plan.distribution import near, spread
from gpuspec.plan.drain import drain, stays
from gpuspec.plan.facets import Plan, PodPlan, Role, objects
from gpuspec.plan.launch import PORT
from gpuspec.plan.leaf import Leaf, Node, derived, from_spec
from gpuspec.plan.parts import Parts, account, overrides
from gpuspec.plan.target import Carried, Ranks
from gpuspec.spec import InferenceSpec


def serving(parts: Parts, spec: InferenceSpec, name: Leaf) -> Plan:
    """Servers that go on, and what stands around them."""
    case, target = parts.case, parts.choice.target
    # The server is told the budget, and the probes need its ports: ports come first.
    budget = probes.budget(case, spec)
    meet = _meet(target.ranks, name) if target.ranks and spec.nodes > 1 else {}
    told = server.server(case, spec, parts.storage.weights_path, budget.seconds, meet)
    asks = probes.probes(case, spec, budget, told.ports)
    pause, grace, cut_off = drain(case, spec)
    selector = {key: leaf.value for key, leaf in metadata.selector(case).items()}
    own = from_spec(("metadata", "name"), case.name, "an identity of its own")
    together = near(case, target, name)
    environment = containers.environment(case, hub.token(case), told.settings)

    def pod_of(args: Node, lifecycle: Leaf, topology: Node, **answers: object) -> PodPlan:
        return parts.pod(
            parts.main(
                command=told.command, args=args, env=environment, lifecycle=lifecycle, **answers
            ),
            restart=derived("target", "Always", "a service goes on"),
            grace=grace,
            annotations=queueing.pod_annotations(case, target),
            account=account(case, own),
            together=together,
            topology=topology,
        )

    pod = pod_of(
        told.args,
        pause,
        spread(spec, {**selector, **target.serves}, target.revision),
        ports=(*told.port_leaves, *exposed.container_ports(spec)),
        startup_probe=asks.startup,
        readiness_probe=asks.readiness,
        liveness_probe=asks.liveness,
    )
    first, *rest = target.roles
    roles = {first: Role(pod, derived("target", 1, "it answers clients"))}
    if spec.nodes > 1:
        others = from_spec(("spec", "nodes"), spec.nodes - 1, "a pod on each other node")
        roles[rest[0]] = Role(pod_of(told.followers, stays(spec), None), others)
    closed = case.profile.spec.network is not None
    hosts = policy.host_names(case, spec) if closed else None
    replicas, autoscaler, constant = scaling.scaling(case, spec, target)
    answering = {
        **parts.meta.selector,
        **{key: derived("service", value, "it answers") for key, value in target.serves.items()},
    }
    service = network.service(name, answering, told, spec)
    picking = picker.picker(case, spec, pod, parts.security.helper)
    asking = picker.labels_of(case, spec)
    return Plan(
        case=case,
        overrides=overrides(case),
        target=parts.choice.leaf,
        name=name,
        meta=parts.meta,
        roles=roles,
        objects=objects(
            ("service-account", "account", own if spec.service_account is None else None),
            *picker.objects(picking, *picker.IDENTITY),
            ("network-policy", "network", policy.policy(case, spec, told, selector, asking)),
            *picker.closed(case, spec, told, picking),
            ("cilium-network-policy", "host_names", hosts),
            *picker.objects(picking, "picker-service"),
            ("service", "service", service),
            ("disruption-budget", "disruption", scaling.disruption(spec)),
            target.object(Carried(case, name, parts.meta, roles, replicas, budget.seconds)),
            ("autoscaler", "autoscaler", autoscaler),
            (
                "placeholder",
                "placeholder",
                placeholder.placeholder(case, spec, pod, parts.security.helper),
            ),
            *traffic.leading(case, spec, parts.meta, service, told, asks, picking),
        ),
        notes=(
            *parts.notes,
            *told.notes,
            *hub.notes(case),
            *serves.notes(case),
            # What is said of weights is nothing to a notebook.
            *(budget.notes if spec.model or spec.runtime != runtimes.CUSTOM else ()),
            *context_length.notes(case),
            *cut_off,
            *adapters.notes(spec),
            *rollout.notes(case, spec, budget.seconds),
            *constant,
            *exchange.notes(case, spec),
            *traffic.notes(case, spec),
            *queueing.gang_notes(case, target),
        ),
    )


def _meet(ranks: Ranks, name: Leaf) -> dict[str, str | int]:
    """What a pod is told of its rank, and of where rank 0 listens."""
    return {"rank": f"$({ranks.variable})", "first": ranks.first(name.value), "port": PORT}
