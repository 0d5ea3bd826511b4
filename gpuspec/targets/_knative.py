"""Servers on Knative Serving (1.23), whichever controller creates its Service. Sources: its
validation, defaults and autoscaler.

Knative puts queue-proxy before the server in each pod: it takes the requests, counts them, ends those that
take too long, and holds the server until the last one is answered. It makes the Service, and scales.
"""

from collections.abc import Iterator

from gpuspec.enumeration import counted
from gpuspec.manifests.durations import format_duration
from gpuspec.plan import claims
from gpuspec.plan.decision import Decision, Note, Origin, derived, from_spec
from gpuspec.plan.distribution import least_replicas
from gpuspec.plan.facets import NodeMap
from gpuspec.plan.pace import SCALE_DOWN
from gpuspec.plan.probes import LEAST_PULL
from gpuspec.plan.resolution import RefusalReason, Resolution
from gpuspec.plan.signals import RUNNING_TARGET
from gpuspec.plan.target import Front, TargetInput, TargetRequirement
from gpuspec.spec import InferenceSpec, Replicas
from gpuspec.spec.knative import Knative
from gpuspec.targets import _knative_pod

# Startup probes came with 1.15.
NEEDS = TargetRequirement("knative", since="1.15", checked="1.23", called="Knative Serving")
FRONT = Front(ports=(8012, 8013, 8112), namespace="knative-serving", measured=(8022, 9090, 9091))
"""queue-proxy: HTTP/1, HTTP/2 and TLS; its state, and what the autoscaler and Prometheus read."""
_PORT = 80
"""Of the Service that Knative creates."""
_LONGEST = 600
"""The default maximum duration of a request, in seconds."""
SCALING = "autoscaling.knative.dev/"
DEADLINE = "serving.knative.dev/progress-deadline"
_HINT_RUNNING = "write `signal: running`, and `target`: the requests that one replica has in flight"


def annotations(of: TargetInput) -> NodeMap:
    """Return how many pods a revision has, what scales it, and how long pods may take to start."""
    spec = _spec(of.resolution)
    least, most = bounds(spec)
    decisions = {"min-scale": least, "max-scale": most}
    if (measured := signal(spec)) is not None:
        decisions |= {"metric": measured[0], "target": measured[1]}
    scaling = {
        SCALING + name: Decision(str(decision.value), decision.reason, decision.origin)
        for name, decision in decisions.items()
    }
    return {**scaling, **pace(of)}


def bounds(spec: InferenceSpec) -> tuple[Decision, Decision]:
    """Return the minimum and maximum number of replicas."""
    if not isinstance(spec.replicas, Replicas):
        number = from_spec(("spec", "replicas"), spec.replicas, "the spec's replicas")
        return number, number
    path = ("spec", "replicas")
    return (
        from_spec((*path, "min"), spec.replicas.min, "the minimum number of replicas"),
        from_spec((*path, "max"), spec.replicas.max, "the maximum number of replicas"),
    )


def signal(spec: InferenceSpec) -> tuple[Decision, Decision] | None:
    """Return the metric by which a revision scales, the requests in flight that queue-proxy counts,
    and its target."""
    replicas = scaled(spec)
    if replicas is None:
        return None
    value = replicas.target or RUNNING_TARGET
    why = f"{value} running requests per replica"
    return (
        derived("knative", "concurrency", "requests in flight: Knative's only metric"),
        from_spec(("spec", "replicas"), value, why),
    )


def pace(of: TargetInput) -> dict[str, Decision]:
    """Return how soon idle pods are removed, and how long new ones may take to start."""
    spec = _spec(of.resolution)
    decisions = {DEADLINE: _deadline(spec, of.budget)}
    if scaled(spec) is not None:
        delay, why = format_duration(SCALE_DOWN["window"]), "a new replica takes minutes to start"
        whole = "use the spec's target in full: Knative's default is 70 % of it"
        decisions |= {
            f"{SCALING}target-utilization-percentage": derived("knative", "100", whole),
            f"{SCALING}scale-down-delay": derived("knative", delay, why),
        }
    return decisions


def scaled(spec: InferenceSpec) -> Replicas | None:
    """Return the bounds of the number of replicas; None if it is fixed."""
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
        f"{budget}s start-up budget + {pull}s to schedule the pod and pull its image; Knative "
        "gives up on a slower revision and keeps the old version"
    )
    return derived("rollout", format_duration(budget + pull), why)


def timeout(of: TargetInput) -> Decision:
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
    """Return the number of requests that queue-proxy passes on at a time."""
    why = "no limit: the server batches and queues requests itself"
    return derived("knative", 0, why)


def _spec(resolution: Resolution) -> InferenceSpec:
    assert isinstance(resolution.spec, InferenceSpec)
    return resolution.spec


def refused(resolution: Resolution) -> list[RefusalReason]:
    """Return refusals for settings of Service, rollout and scaling that Knative does not support."""
    spec, place = _spec(resolution), resolution.workload.place
    return [
        RefusalReason(text, place(path), hint) for path, text, hint in _refused(resolution, spec)
    ]


def _refused(
    resolution: Resolution, spec: InferenceSpec
) -> Iterator[tuple[tuple[str, ...], str, str]]:
    expose = ("spec", "expose")
    exposure = spec.expose
    if exposure.port not in (None, _PORT):
        text = f"the Service that Knative creates has port {_PORT} only"
        hint = f"write `port: {_PORT}`, and the server's own port as `containerPort`"
        yield (*expose, "port"), text, hint
    if exposure.name not in (None, resolution.name):
        text = "Knative names the Service after the workload"
        yield (
            (*expose, "name"),
            text,
            "rename the workload, or create a Service of type ExternalName",
        )
    if exposure.ports:
        text = "Knative routes clients to only one port of a pod"
        yield (*expose, "ports"), text, "delete `ports`, or write target: deployment"
    if exposure.through is not None:
        text = "Knative puts its own proxy before the server, and routes no clients to a sidecar"
        yield (*expose, "through"), text, "delete `through`, or write target: deployment"
    if spec.route is not None:
        text = "Knative routes outside clients through its own gateway, not through the profile's"
        yield ("spec", "route"), text, "delete `route`; a DomainMapping gives it another host name"
    for field in ("surge", "unavailable"):
        if getattr(spec.rollout, field) is not None:
            text = "Knative starts all pods of a new version before it stops the old ones"
            yield ("spec", "rollout", field), text, f"delete `{field}`"
    if (held_claims := claims.kept(resolution, spec)) is not None:
        text = f"Knative starts new pods before it stops the old ones, and the old ones hold {held_claims}"
        yield ("spec",), text, "use a PersistentVolumeClaim that pods on several nodes can mount"
    by = scaled(spec)
    if by is not None and (unseen := _unseen(by)):
        text = f"Knative scales by requests in flight, and cannot use {unseen}"
        yield ("spec", "replicas"), text, _HINT_RUNNING
    if by is not None and by.activation is not None:
        text = "Knative starts the first replica at the first request"
        yield ("spec", "replicas", "activation"), text, "delete `activation`"


def _unseen(replicas: Replicas) -> str:
    """Return the signal that the spec scales by and Knative does not measure; empty if there is
    none."""
    if replicas.metric_from is not None or replicas.metric is not None:
        return f"metric {replicas.metric}" if replicas.metric else "a query"
    return "" if replicas.signal == "running" else f"`signal: {replicas.signal}`"


def lacks(of: TargetInput) -> list[RefusalReason]:
    """Return refusals for fields of the pod that Knative never accepts, or only with a feature that
    the profile does not list."""
    resolution = of.resolution
    (server,) = of.roles.values()
    knative = resolution.profile.spec.knative
    refusal_reasons: list[RefusalReason] = []
    features: dict[str, list[str]] = {}
    for feature_use in _knative_pod.wanted(_knative_pod.carried(server.pod)):
        if feature_use.feature == _knative_pod.NEVER:
            text = f"Knative does not accept {feature_use.what}"
            refusal_reasons.append(
                RefusalReason(
                    text, resolution.place(feature_use.decision.origin), "write target: deployment"
                )
            )
        elif feature_use.feature not in knative.features:
            features.setdefault(feature_use.feature, []).append(feature_use.what)
    if features:
        refusal_reasons.append(_off(features, knative))
    seconds, most = timeout(of).value, knative.longest_timeout
    if seconds > (most.seconds if most else _LONGEST):
        first = (
            "," if least_replicas(_spec(resolution)) else ", including the start of a first pod,"
        )
        text = (
            f"a request and its drain may take {seconds}s{first} but Knative ends a request "
            f"after {most or format_duration(_LONGEST)}"
        )
        hint = (
            "raise `max-revision-timeout-seconds` in ConfigMap config-defaults, and record "
            "it in the profile, knative: {longestTimeout: …}"
        )
        refusal_reasons.append(
            RefusalReason(text, resolution.workload.place(("spec", "longestRequest")), hint)
        )
    return refusal_reasons


def _off(features: dict[str, list[str]], knative: Knative) -> RefusalReason:
    """Return the features that are missing, and what each is for."""
    words = [f"{name} ({', '.join(dict.fromkeys(uses))})" for name, uses in features.items()]
    every = ", ".join(sorted({*knative.features, *features}))
    noun = "the feature" if len(words) == 1 else "features"
    text = f"its pods need {noun} of Knative that the profile does not list: {', '.join(words)}"
    hint = (
        "enable them in ConfigMap config-features of namespace knative-serving, and list "
        f"them in the profile, knative: {{features: [{every}]}}"
    )
    return RefusalReason(text, hint=hint)


def notes(resolution: Resolution, service: str) -> list[Note]:
    """Return notes on the address of the server, the slots of a new version, and the changes to the
    pod.

    `service`: the name of the Service that clients connect to.
    """
    spec, origin = _spec(resolution), Origin("spec", ("spec", "target"))
    # A new version starts one in any case.
    least = max(least_replicas(spec), 1)
    note_list = [
        Note(
            f"clients connect to the Service {service} at port {_PORT}: Knative creates it, "
            "and none is rendered",
            origin,
            loud=True,
        ),
        Note(
            "each start sets the group of all files in volumes: Knative does not accept "
            "fsGroupChangePolicy",
            origin,
        ),
        Note(
            "queue-proxy probes readiness, and keeps a stopping pod until its last answer",
            origin,
        ),
    ]
    spare = spec.warm or sum(chosen.pool.spare for chosen in resolution.pools)
    if resolution.pools and spare < least:
        text = (
            f"a new version needs slots for {counted(least, 'replica')} more: Knative starts "
            "them all before it stops the old ones, and the pools promise `spare` slots for "
            f"{spare}"
        )
        note_list.append(Note(text, origin, loud=True))
    if spec.sidecars:
        text = (
            "sidecars start with the server, not before it, and without ports: Knative "
            "accepts no others"
        )
        note_list.append(Note(text, Origin("spec", ("spec", "sidecars")), loud=True))
    others = [port.name for port in resolution.runtime.ports[1:]]
    if others:
        text = f"clients reach only the server's port http, not {', '.join(others)}"
        note_list.append(Note(text, origin, loud=True))
    return note_list
