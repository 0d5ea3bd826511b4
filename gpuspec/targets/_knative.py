"""Servers on Knative Serving (1.23), whoever makes its Service. Sources: its validation, defaults and autoscaler.

Knative puts queue-proxy before the server in each pod: it takes the requests, counts them, ends those that
take too long, and holds the server until the last one is answered. It makes the Service, and scales.
"""

from collections.abc import Iterator

from gpuspec.manifests.durations import format_duration
from gpuspec.plan import claims
from gpuspec.plan.decision import Decision, Note, Origin, derived, from_spec
from gpuspec.plan.distribution import least_replicas
from gpuspec.plan.facets import NodeMap
from gpuspec.plan.pace import SCALE_DOWN
from gpuspec.plan.probes import LEAST_PULL
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.signals import RUNNING_TARGET
from gpuspec.plan.target import Carried, Front, TargetRequirement
from gpuspec.plan.wording import count
from gpuspec.spec import InferenceSpec, Replicas
from gpuspec.spec.knative import Knative
from gpuspec.targets import _knative_pod

# Startup probes came with 1.15.
NEEDS = TargetRequirement("knative", since="1.15", checked="1.23", called="Knative Serving")
FRONT = Front(ports=(8012, 8013, 8112), namespace="knative-serving", measured=(8022, 9090, 9091))
"""queue-proxy: HTTP/1, HTTP/2 and TLS; its state, and what the autoscaler and Prometheus read."""
_PORT = 80
"""Of the Service that Knative makes."""
_LONGEST = 600
"""Seconds that a request may take, where the profile does not say otherwise."""
SCALING = "autoscaling.knative.dev/"
DEADLINE = "serving.knative.dev/progress-deadline"
_HINT_RUNNING = "write `signal: running`, and `target`: the requests that one replica has in flight"


def annotations(of: Carried) -> NodeMap:
    """Return how many pods a revision has and by what, and how long they may take to start."""
    spec = _spec(of.resolution)
    least, most = bounds(spec)
    decisions = {"min-scale": least, "max-scale": most}
    if (measured := signal(spec)) is not None:
        decisions |= {"metric": measured[0], "target": measured[1]}
    told = {
        SCALING + name: Decision(str(decision.value), decision.reason, decision.origin)
        for name, decision in decisions.items()
    }
    return {**told, **pace(of)}


def bounds(spec: InferenceSpec) -> tuple[Decision, Decision]:
    """Return the fewest replicas and the most."""
    if not isinstance(spec.replicas, Replicas):
        number = from_spec(("spec", "replicas"), spec.replicas, "the spec's number")
        return number, number
    path = ("spec", "replicas")
    return (
        from_spec((*path, "min"), spec.replicas.min, "the fewest replicas"),
        from_spec((*path, "max"), spec.replicas.max, "the most replicas"),
    )


def signal(spec: InferenceSpec) -> tuple[Decision, Decision] | None:
    """Return what a revision scales by: requests in flight, which queue-proxy counts; and their
    target."""
    replicas = scaled(spec)
    if replicas is None:
        return None
    value = replicas.target or RUNNING_TARGET
    why = f"{value} running requests per replica"
    return (
        derived("knative", "concurrency", "requests in flight: Knative measures nothing else"),
        from_spec(("spec", "replicas"), value, why),
    )


def pace(of: Carried) -> dict[str, Decision]:
    """Return how soon pods go when there is less to do, and how long new ones may take to come."""
    spec = _spec(of.resolution)
    decisions = {DEADLINE: _deadline(spec, of.budget)}
    if scaled(spec) is not None:
        delay, why = format_duration(SCALE_DOWN["window"]), "a replica is missed for minutes"
        whole = "the target is the spec's own: 70 % of it would be Knative's"
        decisions |= {
            f"{SCALING}target-utilization-percentage": derived("knative", "100", whole),
            f"{SCALING}scale-down-delay": derived("knative", delay, why),
        }
    return decisions


def scaled(spec: InferenceSpec) -> Replicas | None:
    """Return the bounds that the number of replicas changes between; None where it does not."""
    replicas = spec.replicas
    return replicas if isinstance(replicas, Replicas) and replicas.min < replicas.max else None


def _deadline(spec: InferenceSpec, budget: int) -> Decision:
    """Return the time after which a new revision has failed, and traffic stays with the one
    before."""
    if spec.rollout.deadline is not None:
        path = ("spec", "rollout", "deadline")
        seconds = spec.rollout.deadline.seconds
        return from_spec(path, format_duration(seconds), "the spec's deadline")
    pull = max(LEAST_PULL, budget // 2)
    why = (
        f"{budget}s start-up budget + {pull}s to schedule the pod and pull its image; Knative gives "
        "up what takes longer, and the old version stays"
    )
    return derived("rollout", format_duration(budget + pull), why)


def timeout(of: Carried) -> Decision:
    """Return the time of a request, which is the pod's grace period too.

    A request that finds no pod waits until one has started.
    """
    (server,) = of.roles.values()
    grace = server.pod.grace
    assert isinstance(grace, Decision)
    why = f"{grace.reason}; Knative ends a request that takes longer, and kills a pod that does"
    if least_replicas(_spec(of.resolution)):
        return Decision(grace.value, why, grace.origin)
    why = f"{of.budget}s for a first pod to start + {why}"
    return Decision(of.budget + grace.value, why, grace.origin)


def concurrency() -> Decision:
    """Return requests that queue-proxy lets through at a time."""
    why = "no limit: the server batches what it has, and queues the rest itself"
    return derived("knative", 0, why)


def _spec(resolution: Resolution) -> InferenceSpec:
    assert isinstance(resolution.spec, InferenceSpec)
    return resolution.spec


def refused(resolution: Resolution) -> list[RefusalReason]:
    """Return what a spec asks of Service, rollout and scaling that Knative does otherwise."""
    spec, place = _spec(resolution), resolution.workload.place
    return [
        RefusalReason(text, place(path), hint) for path, text, hint in _refused(resolution, spec)
    ]


def _refused(
    resolution: Resolution, spec: InferenceSpec
) -> Iterator[tuple[tuple[str, ...], str, str]]:
    expose = ("spec", "expose")
    asked = spec.expose
    if asked.port not in (None, _PORT):
        text = f"the Service that Knative makes has port {_PORT}"
        hint = f"write `port: {_PORT}`, and what the server listens on as `containerPort`"
        yield (*expose, "port"), text, hint
    if asked.name not in (None, resolution.name):
        text = "Knative calls the Service as the workload"
        yield (
            (*expose, "name"),
            text,
            "name the workload so, or make a Service of type ExternalName",
        )
    if asked.ports:
        text = "Knative leads clients to one port of a pod"
        yield (*expose, "ports"), text, "delete `ports`, or write target: deployment"
    if asked.through is not None:
        text = "Knative puts a proxy of its own before the server, and leads clients to no sidecar"
        yield (*expose, "through"), text, "delete `through`, or write target: deployment"
    if spec.route is not None:
        text = "Knative leads clients from outside by its own gateway, not by that of the profile"
        yield ("spec", "route"), text, "delete `route`; a DomainMapping gives it another host name"
    for field in ("surge", "unavailable"):
        if getattr(spec.rollout, field) is not None:
            text = "Knative has all pods of a new version run before those of the old one go"
            yield ("spec", "rollout", field), text, f"delete `{field}`"
    if (held := claims.kept(resolution, spec)) is not None:
        text = f"Knative has new pods run before the old ones go, and these hold {held}"
        yield ("spec",), text, "use a claim that pods on several nodes can mount"
    by = scaled(spec)
    if by is not None and (unseen := _unseen(by)):
        text = f"Knative counts requests in flight, and does not see {unseen}"
        yield ("spec", "replicas"), text, _HINT_RUNNING
    if by is not None and by.activation is not None:
        text = "Knative starts the first replica at the first request"
        yield ("spec", "replicas", "activation"), text, "delete `activation`"


def _unseen(replicas: Replicas) -> str:
    """Return what the number of replicas is to follow, and Knative does not measure; empty for
    nothing."""
    if replicas.metric_from is not None or replicas.metric is not None:
        return f"metric {replicas.metric}" if replicas.metric else "what a query says"
    return "" if replicas.signal == "running" else f"`signal: {replicas.signal}`"


def lacks(of: Carried) -> list[RefusalReason]:
    """Return what of the pod Knative takes with a feature alone that the profile does not list, or
    never."""
    resolution = of.resolution
    (server,) = of.roles.values()
    there = resolution.profile.spec.knative
    refusal_reasons: list[RefusalReason] = []
    features: dict[str, list[str]] = {}
    for feature_use in _knative_pod.wanted(_knative_pod.carried(server.pod)):
        if feature_use.feature == _knative_pod.NEVER:
            text = f"Knative does not take {feature_use.what}"
            refusal_reasons.append(
                RefusalReason(
                    text, resolution.place(feature_use.decision.origin), "write target: deployment"
                )
            )
        elif feature_use.feature not in there.features:
            features.setdefault(feature_use.feature, []).append(feature_use.what)
    if features:
        refusal_reasons.append(_off(features, there))
    seconds, most = timeout(of).value, there.longest_timeout
    if seconds > (most.seconds if most else _LONGEST):
        first = "," if least_replicas(_spec(resolution)) else ", a first pod's start included,"
        text = (
            f"a request and its drain take {seconds}s{first} and Knative ends one after "
            f"{most or format_duration(_LONGEST)}"
        )
        hint = (
            "raise `max-revision-timeout-seconds` in ConfigMap config-defaults, and say so in the "
            "profile, knative: {longestTimeout: …}"
        )
        refusal_reasons.append(
            RefusalReason(text, resolution.workload.place(("spec", "longestRequest")), hint)
        )
    return refusal_reasons


def _off(features: dict[str, list[str]], there: Knative) -> RefusalReason:
    """Return the features that are missing, and what each is for."""
    words = [f"{name} ({', '.join(dict.fromkeys(what))})" for name, what in features.items()]
    every = ", ".join(sorted({*there.features, *features}))
    noun = "a feature" if len(words) == 1 else "features"
    text = f"its pods take {noun} of Knative that the profile does not list: {', '.join(words)}"
    hint = (
        "enable them in ConfigMap config-features of namespace knative-serving, and say so in the "
        f"profile, knative: {{features: [{every}]}}"
    )
    return RefusalReason(text, hint=hint)


def notes(resolution: Resolution, service: str) -> list[Note]:
    """Return who is asked, what a new version takes, and what of the pod is otherwise.

    `service`: the name of the Service that clients ask.
    """
    spec, origin = _spec(resolution), Origin("spec", ("spec", "target"))
    # A new version starts one in any case.
    least = max(least_replicas(spec), 1)
    found = [
        Note(
            f"clients ask the Service {service} at port {_PORT}, which Knative makes: none is rendered",
            origin,
            loud=True,
        ),
        Note("volumes get their group at each start: Knative takes no fsGroupChangePolicy", origin),
        Note(
            "queue-proxy asks for readiness, and holds a pod that stops until its last answer",
            origin,
        ),
    ]
    spare = spec.warm or sum(chosen.pool.spare for chosen in resolution.pools)
    if resolution.pools and spare < least:
        text = (
            f"a new version takes room for {count(least, 'replica')} more: Knative has them all run "
            f"before the old ones go, and the pools promise `spare` slots for {spare}"
        )
        found.append(Note(text, origin, loud=True))
    if spec.sidecars:
        text = (
            "sidecars start with the server, not before it: Knative takes no other, nor their ports"
        )
        found.append(Note(text, Origin("spec", ("spec", "sidecars")), loud=True))
    others = [port.name for port in resolution.runtime.ports[1:]]
    if others:
        text = f"clients reach the server's port http alone, not {', '.join(others)}"
        found.append(Note(text, origin, loud=True))
    return found
