"""The plan of a router for disaggregated serving: clients call it, and it calls prefill and decode
pods.

Its options name both sides, by Service or by replica: it lists no pods, and needs no token.
"""

import math
from typing import Any

import msgspec

from gpuspec import runtimes
from gpuspec.enumeration import counted
from gpuspec.manifests import Path, Quantity
from gpuspec.plan import placement, policy, sides
from gpuspec.plan.common_facets import CommonFacets, pull_secrets
from gpuspec.plan.decision import Decision, PlanPart, derived, from_spec, from_table
from gpuspec.plan.distribution import TOPOLOGY
from gpuspec.plan.drain import grace
from gpuspec.plan.facets import (
    ContainerPlan,
    DisruptionPlan,
    MetaPlan,
    NodeMap,
    Plan,
    PodPlan,
    PodRole,
    objects,
)
from gpuspec.plan.probes import LEAST_PULL, STARTUP_PERIOD
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.scaling import EVICTION
from gpuspec.plan.security import as_user, unnamed
from gpuspec.plan.wording import GIB, up
from gpuspec.spec import InferenceSpec
from gpuspec.spec.envelope import HelperResources
from gpuspec.spec.inference import connector_of
from gpuspec.spec.layout import TMP
from gpuspec.spec.router import Router

# Seconds for a request, where the longest is shorter: what both routers give it by themselves.
LEAST_TIMEOUT = 1800
# Where the spec gives none: a request is read, sent twice, and its answer passed on. Assumed.
CPU = 1
MEMORY = 2 * GIB
# A user that no image knows: what a router reads, every user may read.
USER = 65532
_PATH: Path = ("spec", "router")


class RouterPlan(msgspec.Struct, frozen=True):
    """A Deployment of routers."""

    replicas: PlanPart
    strategy: PlanPart
    progress_deadline: PlanPart
    history: PlanPart


def router(parts: CommonFacets, spec: InferenceSpec, urls: sides.Urls, startup: int) -> Plan:
    """Return the router of a server. `startup`: seconds in which the pods of both sides start."""
    resolution, router_spec = parts.resolution, spec.router or Router()
    name = derived("prefill", sides.router_name(resolution), "the router of the server")
    selector = {
        key: derived("labels", value, "found by this label")
        for key, value in sides.router_selector(resolution).items()
    }
    meta = _meta(parts.meta, name, selector)
    pod = PodPlan(
        labels=meta.labels,
        annotations={},
        restart_policy=derived("target", "Always", "a service has no end"),
        service_account=derived("restricted", "default", "no identity is needed"),
        automount_token=derived(
            "restricted", False, "it gets names as arguments and needs no API access"
        ),
        service_links=derived("restricted", False, "only its own variables"),
        security=unnamed(resolution)
        or derived("restricted", as_user(USER), "as a user that no image has, never root"),
        containers=(_container(parts, spec, router_spec, urls, startup),),
        volumes=(_tmp(router_spec),),
        scheduler=parts.where.scheduler,
        priority_class=parts.priority,
        grace=grace(spec),
        pull_secrets=pull_secrets(resolution),
        affinity=placement.without_gpus(resolution),
        spread=_spread(router_spec, selector),
    )
    return Plan(
        resolution=resolution,
        target=parts.choice.decision,
        name=name,
        meta=meta,
        roles={"router": PodRole(pod, derived("target", 1, "it answers clients"))},
        objects=objects(
            ("network-policy", "network", policy.of_router(resolution, spec)),
            ("disruption-budget", "disruption", _disruption(router_spec)),
            ("router", "router", _rollout(router_spec, startup)),
        ),
        notes=(),
    )


def _meta(server: MetaPlan, name: Decision, selector: NodeMap) -> MetaPlan:
    """Return names and labels of its objects."""
    labels = {**server.labels, **selector}
    return MetaPlan(
        name=name,
        namespace=server.namespace,
        labels=labels,
        annotations=server.annotations,
        workload_annotations=server.annotations,
        selector=selector,
    )


def _container(
    parts: CommonFacets, spec: InferenceSpec, router_spec: Router, urls: sides.Urls, startup: int
) -> ContainerPlan:
    resolution = parts.resolution
    disaggregation = resolution.runtime.disaggregation
    assert disaggregation is not None  # by the rules of the spec
    program, row = disaggregation.router, f"runtimes/{resolution.runtime.name} router"
    image = (
        from_spec((*_PATH, "image"), router_spec.image, "the spec's")
        if router_spec.image
        else from_table(row, program.image, f"the {program.title} that its flags were taken from")
    )
    listens = {"name": "http", "containerPort": program.port}
    sleep = runtimes.common().withdrawal.seconds
    why = f"requests still arrive for {sleep}s after the pod gets SIGTERM"
    failures = math.ceil((startup + LEAST_PULL) / STARTUP_PERIOD)
    return ContainerPlan(
        name=derived("prefill", "router", "both sides work on each request"),
        image=image,
        security=parts.security.helper,
        command=from_table(row, list(program.command), f"starts the {program.title}"),
        args=_args(resolution, spec, router_spec, urls, startup),
        ports=(from_table(row, listens, "where it listens"),),
        resources=_resources(router_spec),
        startup_probe=from_table(
            row,
            _probe(program.liveness, STARTUP_PERIOD, failures),
            f"{failures} × {STARTUP_PERIOD}s: it may wait for the servers before it listens",
        ),
        readiness_probe=from_table(
            row, _probe(program.readiness, 5, 3), "a server of each side answers"
        ),
        liveness_probe=from_table(row, _probe(program.liveness, 10, 6), "its process answers"),
        lifecycle=derived("drain", {"preStop": {"sleep": {"seconds": sleep}}}, why),
        mounts=(derived("scratch", {"name": "tmp", "mountPath": TMP}, "the root is read-only"),),
    )


def _args(
    resolution: Resolution, spec: InferenceSpec, router_spec: Router, urls: sides.Urls, startup: int
) -> Decision:
    """Return its arguments, without options that the spec's own arguments set: some may occur only
    once."""
    disaggregation, connector = resolution.runtime.disaggregation, connector_of(spec)
    assert disaggregation is not None and connector is not None  # by the rules of the spec
    program = disaggregation.router
    longest = max(spec.longest_request.seconds, LEAST_TIMEOUT)
    flags = {runtimes.flag(word) for word in router_spec.args}
    settings = (
        program.mode,
        program.host,
        program.listens,
        program.policy,
        program.startup,
        program.timeout,
        program.drain,
        program.connectors.get(connector.name),
    )
    words: list[str] = []
    for setting in settings:
        if setting is not None and not setting.flags & flags:
            words += setting.fill(
                port=program.port,
                startup=startup + LEAST_PULL,
                timeout=longest,
                drain=spec.longest_request.seconds,
            )[0]
    for url in urls.prefill:
        side = program.prefill if urls.bootstrap is None else program.bootstrap
        words += side.fill(url=url, bootstrap=urls.bootstrap or 0)[0]
    words += program.decode.fill(url=urls.decode)[0]
    url_source = "each replica" if urls.each else "a Service"
    why = (
        f"prefill by the name of {url_source}, decode by the name of a Service; it waits "
        f"{startup}s plus {LEAST_PULL}s to pull an image for both, and up to {longest}s "
        "for a request"
    )
    ours = from_table(
        f"runtimes/{resolution.runtime.name} router", [*words, *router_spec.args], why
    )
    return (
        ours
        if not router_spec.args
        else from_spec((*_PATH, "args"), ours.value, f"{why}; then the spec's own")
    )


def _probe(path: str, period: int, failures: int) -> dict[str, Any]:
    return {
        "httpGet": {"path": path, "port": "http"},
        "periodSeconds": period,
        "timeoutSeconds": 5,
        "failureThreshold": failures,
    }


def _resources(router_spec: Router) -> NodeMap:
    helper_resources = router_spec.resources or HelperResources(
        cpu=Quantity.parse(str(CPU)), memory=Quantity.parse(up(MEMORY))
    )

    def decision(field: str, value: object, why: str) -> Decision:
        if router_spec.resources is None:
            return derived("prefill", str(value), f"assumed: {why}")
        return from_spec((*_PATH, "resources", field), str(value), why)

    limits = {
        "memory": decision("memory", helper_resources.memory, "the limit equals the request"),
        "ephemeral-storage": decision(
            "ephemeralStorage", helper_resources.ephemeral_storage, "the limit equals the request"
        ),
    }
    cpu = decision("cpu", helper_resources.cpu, "no limit: it may use idle CPUs")
    return {"requests": {"cpu": cpu, **limits}, "limits": limits}


def _tmp(router_spec: Router) -> Decision:
    size = (router_spec.resources or HelperResources()).ephemeral_storage
    value = {"name": "tmp", "emptyDir": {"sizeLimit": str(size)}}
    return derived("scratch", value, "the root file system is read-only")


def _spread(router_spec: Router, selector: NodeMap) -> PlanPart:
    if router_spec.replicas == 1:
        return None
    labels = {
        key: decision.value for key, decision in selector.items() if isinstance(decision, Decision)
    }
    value = [
        {
            "maxSkew": 1,
            "topologyKey": key,
            "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": {"matchLabels": labels},
            "matchLabelKeys": ["pod-template-hash"],
        }
        for key in TOPOLOGY.values()
    ]
    return derived(
        "prefill", value, "over zones and nodes: without a router no request is answered"
    )


def _disruption(router_spec: Router) -> DisruptionPlan:
    why = (
        "one router at a time may be evicted"
        if router_spec.replicas > 1
        else "the only router may be evicted"
    )
    return DisruptionPlan(
        max_unavailable=derived("disruption", 1, why),
        eviction_policy=EVICTION,
    )


def _rollout(router_spec: Router, startup: int) -> RouterPlan:
    deadline = startup + 2 * LEAST_PULL
    why = f"{startup}s until both sides have started, and twice {LEAST_PULL}s to pull an image"
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    number = f"{counted(router_spec.replicas, 'router')}, one after the other"
    return RouterPlan(
        replicas=from_spec((*_PATH, "replicas"), router_spec.replicas, number),
        strategy=derived("rollout", rolling, "a new pod first: the router holds no GPU"),
        progress_deadline=derived("rollout", deadline, why),
        history=derived("rollout", 3, "old versions to roll back to"),
    )
