"""The plan of a model server."""

from gpuspec.plan import containers, hub, metadata, network, placeholder, probes, scaling, server
from gpuspec.plan.distribution import spread
from gpuspec.plan.drain import drain
from gpuspec.plan.facets import Plan, Role, objects
from gpuspec.plan.leaf import Leaf, derived, from_spec
from gpuspec.plan.parts import Parts, account, overrides
from gpuspec.plan.target import Carried
from gpuspec.spec import InferenceSpec


def serving(parts: Parts, spec: InferenceSpec, name: Leaf) -> Plan:
    """Servers that go on, and what stands around them."""
    case, target = parts.case, parts.choice.target
    # The server is told the budget, and the probes need its ports: ports come first.
    budget = probes.budget(case, spec)
    told = server.server(case, spec, parts.storage.weights_path, budget.seconds)
    asks = probes.probes(case, spec, budget, told.ports)
    pause, grace, cut_off = drain(case, spec)
    main = parts.main(
        command=told.command,
        args=told.args,
        env=containers.environment(case, hub.token(case), told.settings),
        ports=told.port_leaves,
        startup_probe=asks.startup,
        readiness_probe=asks.readiness,
        liveness_probe=asks.liveness,
        lifecycle=pause,
    )
    selector = {key: leaf.value for key, leaf in metadata.selector(case).items()}
    own = from_spec(("metadata", "name"), case.name, "an identity of its own")
    pod = parts.pod(
        main,
        restart=derived("target", "Always", "a service goes on"),
        grace=grace,
        annotations={},
        account=account(case, own),
        topology=spread(case, spec, selector),
    )
    replicas, autoscaler, stays = scaling.scaling(case, spec, target)
    roles = {target.roles[0]: Role(pod, replicas)}
    carried = Carried(case, name, parts.meta, roles, budget.seconds)
    return Plan(
        case=case,
        overrides=overrides(case),
        target=parts.choice.leaf,
        name=name,
        meta=parts.meta,
        roles=roles,
        objects=objects(
            ("service-account", "account", own if spec.service_account is None else None),
            ("network-policy", "network", network.policy(case, told)),
            ("service", "service", network.service(name, parts.meta.selector, told)),
            ("disruption-budget", "disruption", scaling.disruption(spec)),
            target.object(carried),
            ("autoscaler", "autoscaler", autoscaler),
            (
                "placeholder",
                "placeholder",
                placeholder.placeholder(case, spec, pod, parts.security.helper),
            ),
        ),
        notes=(*parts.notes, *told.notes, *hub.notes(case), *budget.notes, *cut_off, *stays),
    )
