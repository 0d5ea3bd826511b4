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
    observing,
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
from gpuspec.plan.common_facets import CommonFacets, account, overrides
from gpuspec.plan.decision import Decision, PlanPart, derived, from_spec
from gpuspec.plan.distribution import near, spread
from gpuspec.plan.drain import drain, stays
from gpuspec.plan.facets import NodeMap, Plan, PodPlan, PodRole, TrafficPlan, objects
from gpuspec.plan.launch import PORT
from gpuspec.plan.resolution import Refusal
from gpuspec.plan.target import Ranks, TargetInput
from gpuspec.spec import InferenceSpec


def serving(parts: CommonFacets, spec: InferenceSpec, name: Decision) -> Plan:
    """Return the plan of long-running servers with all of their objects."""
    return servers(parts, spec, name)[0]


def servers(
    parts: CommonFacets, spec: InferenceSpec, name: Decision
) -> tuple[Plan, server.ServerPlan]:
    """Return servers, their objects and settings: all of a service, or one side of it."""
    resolution, target = parts.resolution, parts.choice.target
    # The server is told the budget, and the probes need its ports: ports come first.
    budget = probes.budget(resolution, spec)
    meet = _meet(target.ranks, name) if target.ranks and spec.nodes > 1 else {}
    server_plan = server.server(
        resolution, spec, parts.storage.weights_path, budget.seconds, meet, parts.starter
    )
    asks = probes.probes(resolution, spec, budget, server_plan.ports)
    pause, grace, cut_off = drain(resolution, spec)
    selector = {key: decision.value for key, decision in metadata.selector(resolution).items()}
    whole = resolution.server or resolution
    decision = from_spec(("metadata", "name"), whole.name, "the workload's name")
    together = near(resolution, target, name)
    references = (*hub.token(resolution), *exchange.address(resolution, spec))
    environment = containers.environment(resolution, references, server_plan.settings)
    decisions, asking = sides.bootstrap_ports(resolution)

    def pod_of(
        args: PlanPart, lifecycle: Decision, topology: PlanPart, watched: NodeMap, **answers: object
    ) -> PodPlan:
        return parts.pod(
            parts.main(
                command=server_plan.command,
                args=args,
                env=environment,
                lifecycle=lifecycle,
                **answers,
            ),
            name=name,
            restart=derived("target", "Always", "a service has no end"),
            grace=grace,
            annotations={**queueing.pod_annotations(resolution, target), **watched},
            account=account(resolution, decision),
            together=together,
            topology=topology,
        )

    pod = pod_of(
        server_plan.args,
        pause,
        spread(spec, {**selector, **target.serves}, target.revision),
        observing.annotations(resolution, server_plan.ports, target),
        ports=(
            *server_plan.port_decisions,
            *exposed.container_ports(spec),
            *observing.container_port(resolution, server_plan.ports),
            *decisions,
        ),
        startup_probe=asks.startup,
        readiness_probe=asks.readiness,
        liveness_probe=asks.liveness,
    )
    first, *rest = target.roles
    roles = {first: PodRole(pod, derived("target", 1, "it answers clients"))}
    if spec.nodes > 1:
        others = from_spec(("spec", "nodes"), spec.nodes - 1, "a pod on each other node")
        roles[rest[0]] = PodRole(pod_of(server_plan.followers, stays(spec), None, {}), others)
    closed = resolution.profile.spec.network is not None
    hosts = policy.host_names(resolution, spec) if closed else None
    scaled = scaling.scaling(resolution, spec, target, budget.seconds)
    answering = {
        **parts.meta.selector,
        **{key: derived("service", value, "it answers") for key, value in target.serves.items()},
    }
    service = network.service(
        sides.service_name(resolution, name), answering, server_plan, spec, asking
    )
    front = (
        sides.clients(resolution, spec, name, server_plan) if resolution.side == "decode" else None
    )
    if target.service is not None:
        service_name = derived(
            "service", target.service(resolution), f"created by the controller of {target.kind}"
        )
        service = replace(service, name=service_name)
    mates = selector if resolution.workers > 1 else {}
    if target.mates is not None:
        mates = dict(target.mates(name.value))
    led = TrafficPlan()
    if spec.route is not None:
        # Imported only for specs that have one: start-up counts.
        from gpuspec.plan.traffic import traffic

        led = traffic(parts, spec, pod, front or service, server_plan, asks)
    watched = observing.observed(
        resolution, parts.meta, target, server_plan.ports, budget=budget.seconds, picker=led.picker
    )
    closing = policy.policy(resolution, spec, server_plan, target, mates, led.picker)
    told_itself = target.scaling == "told"
    carried = TargetInput(
        resolution,
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
        raise Refusal(resolution.name, resolution.profile.name, reasons)
    carried = replace(carried, roles=target.pods(carried))
    evicted = (target.disruption or scaling.disruption)(spec)
    plan = Plan(
        resolution=resolution,
        overrides=overrides(resolution),
        target=parts.choice.decision,
        name=name,
        meta=parts.meta,
        roles=carried.roles,
        objects=objects(
            (
                "service-account",
                "account",
                decision
                if spec.service_account is None and whole is resolution and not target.accounts
                else None,
            ),
            *led.identity,
            *watched.early,
            *device_claims.objects(resolution, name),
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
                placeholder.placeholder(resolution, spec, pod, parts.security.helper),
            ),
            *led.leading,
            *watched.late,
        ),
        notes=(
            *parts.notes,
            *server_plan.notes,
            *hub.notes(resolution),
            *serves.notes(resolution),
            # What is said of weights is nothing to a notebook.
            *(budget.notes if spec.model or spec.runtime != runtimes.CUSTOM else ()),
            *context_length.notes(resolution),
            *cut_off,
            *adapters.notes(spec),
            *rollout.notes(resolution, spec, budget.seconds),
            *scaled.notes,
            *exchange.notes(resolution, spec),
            *led.notes,
            *watched.notes,
            *queueing.gang_notes(resolution, target),
        ),
    )
    return plan, server_plan


def _meet(ranks: Ranks, name: Decision) -> dict[str, str | int]:
    """Return the settings of a pod's rank, and of rank 0's address."""
    return {"rank": f"$({ranks.variable})", "first": ranks.first(name.value), "port": PORT}
