"""The plan of a model server."""

from msgspec.structs import replace

from gpuspec import runtimes
from gpuspec.plan import (
    adapters,
    containers,
    context_length,
    device_claims,
    exchange,
    exposed,
    hub,
    metadata,
    network,
    placeholder,
    policy,
    probes,
    queueing,
    rollout,
    scaling,
    server,
    serves,
    sides,
)
from gpuspec.plan.case import Refusal
from gpuspec.plan.distribution import near, spread
from gpuspec.plan.drain import drain, stays
from gpuspec.plan.facets import Plan, PodPlan, Role, TrafficPlan, objects
from gpuspec.plan.launch import PORT
from gpuspec.plan.leaf import Leaf, Node, derived, from_spec
from gpuspec.plan.parts import Parts, account, overrides
from gpuspec.plan.target import Carried, Ranks
from gpuspec.spec import InferenceSpec


def serving(parts: Parts, spec: InferenceSpec, name: Leaf) -> Plan:
    """Servers that go on, and what stands around them."""
    return servers(parts, spec, name)[0]


def servers(parts: Parts, spec: InferenceSpec, name: Leaf) -> tuple[Plan, server.ServerPlan]:
    """Servers, what stands around them, and what they are told: all of a service, or one side of it."""
    case, target = parts.case, parts.choice.target
    # The server is told the budget, and the probes need its ports: ports come first.
    budget = probes.budget(case, spec)
    meet = _meet(target.ranks, name) if target.ranks and spec.nodes > 1 else {}
    told = server.server(
        case, spec, parts.storage.weights_path, budget.seconds, meet, parts.starter
    )
    asks = probes.probes(case, spec, budget, told.ports)
    pause, grace, cut_off = drain(case, spec)
    selector = {key: leaf.value for key, leaf in metadata.selector(case).items()}
    whole = case.server or case
    own = from_spec(("metadata", "name"), whole.name, "an identity of its own")
    together = near(case, target, name)
    references = (*hub.token(case), *exchange.address(case, spec))
    environment = containers.environment(case, references, told.settings)
    asked, asking = sides.bootstrap_ports(case)

    def pod_of(args: Node, lifecycle: Leaf, topology: Node, **answers: object) -> PodPlan:
        return parts.pod(
            parts.main(
                command=told.command, args=args, env=environment, lifecycle=lifecycle, **answers
            ),
            name=name,
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
        ports=(*told.port_leaves, *exposed.container_ports(spec), *asked),
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
    scaled = scaling.scaling(case, spec, target, budget.seconds)
    answering = {
        **parts.meta.selector,
        **{key: derived("service", value, "it answers") for key, value in target.serves.items()},
    }
    service = network.service(sides.service_name(case, name), answering, told, spec, asking)
    front = sides.clients(case, spec, name, told) if case.side == "decode" else None
    if target.service is not None:
        named = derived("service", target.service(case), f"made by the controller of {target.kind}")
        service = replace(service, name=named)
    mates = selector if case.workers > 1 else {}
    if target.mates is not None:
        mates = dict(target.mates(name.value))
    led = TrafficPlan()
    if spec.route is not None:
        # Imported only for specs that have one: start-up counts.
        from gpuspec.plan.traffic import traffic

        led = traffic(parts, spec, pod, front or service, told, asks)
    closing = policy.policy(case, spec, told, target, mates, led.picker)
    told_itself = target.scaling == "told"
    carried = Carried(
        case,
        name,
        parts.meta,
        roles,
        replicas=scaled.replicas,
        autoscaler=scaled.autoscaler if told_itself else None,
        service=service,
        network=closing,
        weights=parts.storage.weights_path,
        budget=budget.seconds,
    )
    if reasons := target.lacks(carried):
        raise Refusal(case.name, case.profile.name, reasons)
    carried = replace(carried, roles=target.pods(carried))
    evicted = (target.disruption or scaling.disruption)(spec)
    made = Plan(
        case=case,
        overrides=overrides(case),
        target=parts.choice.leaf,
        name=name,
        meta=parts.meta,
        roles=carried.roles,
        objects=objects(
            (
                "service-account",
                "account",
                own
                if spec.service_account is None and whole is case and not target.accounts
                else None,
            ),
            *led.identity,
            *device_claims.objects(case, name),
            ("network-policy", "network", closing),
            *led.closed,
            ("cilium-network-policy", "host_names", hosts),
            *led.asked,
            ("service", "service", front),
            ("service", "service", None if target.service else service),
            ("disruption-budget", "disruption", evicted),
            *target.files(carried),
            target.object(carried),
            ("autoscaler", "autoscaler", None if told_itself else scaled.autoscaler),
            ("scaled-object", "scaled_object", scaled.scaled_object),
            (
                "placeholder",
                "placeholder",
                placeholder.placeholder(case, spec, pod, parts.security.helper),
            ),
            *led.leading,
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
            *scaled.notes,
            *exchange.notes(case, spec),
            *led.notes,
            *queueing.gang_notes(case, target),
        ),
    )
    return made, told


def _meet(ranks: Ranks, name: Leaf) -> dict[str, str | int]:
    """What a pod is told of its rank, and of where rank 0 listens."""
    return {"rank": f"$({ranks.variable})", "first": ranks.first(name.value), "port": PORT}
