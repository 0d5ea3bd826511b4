"""The endpoint picker of an InferencePool: a pod that reads the metrics of a server's replicas."""

from typing import Any

import msgspec

from gpuspec import runtimes
from gpuspec.manifests import write
from gpuspec.manifests.digests import sha256
from gpuspec.plan import metadata, policy, pool
from gpuspec.plan.decision import Decision, PlanPart, derived, from_profile, from_table
from gpuspec.plan.facets import ContainerPlan, NetworkPlan, NodeMap, ObjectPlan, PodPlan
from gpuspec.plan.provenance import PREFIX
from gpuspec.plan.resolution import Resolution
from gpuspec.plan.security import as_user, unnamed
from gpuspec.plan.server import ServerPlan
from gpuspec.runtimes import pickers
from gpuspec.runtimes.pickers import PickedEngine, PickerProgram
from gpuspec.spec import InferenceSpec
from gpuspec.spec.network import Network
from gpuspec.spec.routing import Picker

USER = 65532
"""The user of the pickers' images."""
HEALTH = 9003
METRICS = 9090
SCORERS = {"queue-scorer": 2, "kv-cache-utilization-scorer": 2, "prefix-cache-scorer": 3}
"""The scorers of a picker with their weights, which are the defaults."""
API_PORTS = (443, 6443)
"""Ports of API servers."""
IDENTITY = ("picker-service-account", "picker-role", "picker-role-binding", "picker-config-map")
"""Templates of the objects that its pod needs at its start."""
_PATH = ("spec", "gateway", "picker")
_FILE, _FOLDER = "picker.yaml", "/config"
_COMPONENT = "endpoint-picker"


class PickerPlan(msgspec.Struct, frozen=True):
    """An endpoint picker with all of its objects."""

    name: Decision
    labels: NodeMap
    selector: dict[str, Decision]
    rules: Decision
    role: Decision
    subject: Decision
    data: NodeMap
    ports: Decision
    replicas: Decision
    strategy: Decision
    pod: PodPlan


def _selector(resolution: Resolution) -> dict[str, Decision]:
    labels = metadata.labels(resolution, _COMPONENT)
    selected_labels = {key: labels[key] for key in metadata.selector(resolution)}
    return {
        key: decision for key, decision in selected_labels.items() if isinstance(decision, Decision)
    }


def picker(
    resolution: Resolution, spec: InferenceSpec, server: PodPlan, helper: Decision
) -> PickerPlan | None:
    """Return the picker of a server's pool; None if the platform has its own, or if there is no
    pool."""
    picker_spec = pool.rendered(resolution, spec)
    if picker_spec is None:
        return None
    assert picker_spec.image is not None
    program = pickers.program_of(picker_spec.image)
    engine = pickers.engine_of(resolution.runtime.name)
    assert program is not None
    assert engine is not None
    release = (
        runtimes.version_of(picker_spec.version)
        if picker_spec.version
        else runtimes.version(picker_spec.image)
    )
    assert release is not None
    name = derived(
        "picker", f"{resolution.name}{pool.SUFFIX}", "the endpoint picker of the server's pool"
    )
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name.value}
    account = {
        "kind": "ServiceAccount",
        "name": name.value,
        "namespace": resolution.workload.namespace,
    }
    ports = [
        {"name": "grpc-ext-proc", "port": pool.PORT, "targetPort": "grpc"},
        {"name": "http-metrics", "port": METRICS, "targetPort": "metrics"},
    ]
    decision = _configuration(program, engine, release)
    return PickerPlan(
        name=name,
        labels=metadata.labels(resolution, _COMPONENT),
        selector=_selector(resolution),
        rules=_rules(resolution, program),
        role=derived("picker", role, "what it reads"),
        subject=derived("picker", [account], "the picker's own identity"),
        data={_FILE: decision},
        ports=derived("picker", ports, "the ports for gateways and for metrics"),
        replicas=derived("picker", 1, "each picker knows only its own requests' caches"),
        strategy=derived(
            "picker",
            {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
            "the new pod is ready before the old one stops",
        ),
        pod=_pod(resolution, picker_spec, server, helper, name, decision),
    )


def _rules(resolution: Resolution, program: PickerProgram) -> Decision:
    """Return its RBAC rules: pods of its namespace, its pool, and the priorities of requests."""
    watch = ["list", "watch"]
    rules: list[dict[str, Any]] = [
        {"apiGroups": [""], "resources": ["pods"], "verbs": watch},
        {
            "apiGroups": [pool.GROUP],
            "resources": ["inferencepools"],
            "resourceNames": [resolution.name],
            "verbs": watch,
        },
        {
            "apiGroups": list(program.groups),
            "resources": ["inferenceobjectives", "inferencemodelrewrites"],
            "verbs": watch,
        },
    ]
    return from_table("runtimes/pickers", rules, "what it watches")


def _configuration(
    program: PickerProgram, engine: PickedEngine, release: tuple[int, int, int]
) -> Decision:
    """Return its configuration file. Without the server's name it would read vLLM's metrics."""
    extractor = {"type": "core-metrics-extractor", "parameters": {"defaultEngine": engine.name}}
    plugins = [
        *({"type": scorer} for scorer in SCORERS),
        {"type": "metrics-data-source"},
        extractor,
    ]
    weighed = [{"pluginRef": scorer, "weight": weight} for scorer, weight in SCORERS.items()]
    value = {
        "apiVersion": program.configuration(release),
        "kind": "EndpointPickerConfig",
        "plugins": plugins,
        "schedulingProfiles": [{"name": "default", "plugins": weighed}],
    }
    why = f"it reads metrics of {engine.name}, and weighs queue, cache and prompts as by default"
    return from_table("runtimes/pickers", write([value]), why)


def _pod(
    resolution: Resolution,
    picker_spec: Picker,
    server: PodPlan,
    helper: Decision,
    name: Decision,
    decision: Decision,
) -> PodPlan:
    volume = {"name": "config", "configMap": {"name": name.value}}
    return PodPlan(
        labels=metadata.labels(resolution, _COMPONENT),
        annotations={f"{PREFIX}configuration-digest": _digest(decision)},
        restart_policy=server.restart_policy,
        service_account=derived("picker", name.value, "its own identity"),
        automount_token=derived(
            "picker", True, "it watches pods and its pool through the API server"
        ),
        service_links=server.service_links,
        security=unnamed(resolution)
        or derived("picker", as_user(USER), f"as user {USER} of its image, never root"),
        containers=(_container(resolution, picker_spec, server, helper),),
        volumes=(derived("picker", volume, "its configuration"),),
        scheduler=None,
        priority_class=server.priority_class,
        grace=server.grace,
        pull_secrets=server.pull_secrets,
    )


def _digest(decision: Decision) -> Decision:
    why = "its configuration, which it reads once: a change needs a new pod"
    return derived("picker", f"sha256:{sha256(decision.value.encode())}", why)


def _container(
    resolution: Resolution, picker_spec: Picker, server: PodPlan, helper: Decision
) -> ContainerPlan:
    probe = {"grpc": {"port": HEALTH}, "timeoutSeconds": 2}
    answers = "ready when it has read its pool"
    ports = [
        {"name": "grpc", "containerPort": pool.PORT},
        {"name": "health", "containerPort": HEALTH},
        {"name": "metrics", "containerPort": METRICS},
    ]
    mount = {"name": "config", "mountPath": _FOLDER, "readOnly": True}
    return ContainerPlan(
        name=derived("picker", "epp", "the endpoint picker"),
        image=from_profile((*_PATH, "image"), picker_spec.image, "the picker of this cluster"),
        args=_arguments(resolution),
        security=helper,
        ports=tuple(derived("picker", port, "its own default") for port in ports),
        resources=_resources(picker_spec),
        startup_probe=derived(
            "picker", {**probe, "periodSeconds": 2, "failureThreshold": 150}, answers
        ),
        readiness_probe=derived(
            "picker", {**probe, "periodSeconds": 2, "failureThreshold": 3}, answers
        ),
        liveness_probe=derived(
            "picker", {**probe, "periodSeconds": 10, "failureThreshold": 6}, answers
        ),
        lifecycle=_withdrawal(),
        mounts=(derived("picker", mount, "its configuration"),),
    )


def _arguments(resolution: Resolution) -> Decision:
    """Return its options. Its metrics are open if a policy limits their callers.

    To authenticate a scraper, it would need a cluster-wide permission.
    """
    words = [
        f"--pool-name={resolution.name}",
        f"--pool-namespace={resolution.workload.namespace}",
        f"--pool-group={pool.GROUP}",
        f"--config-file={_FOLDER}/{_FILE}",
        "--tracing=false",
        "--enable-pprof=false",
    ]
    why = "its pool and its configuration; nothing is traced or profiled"
    if resolution.profile.spec.network is not None:
        words.append("--metrics-endpoint-auth=false")
        why += "; a NetworkPolicy limits who may scrape it"
    return derived("picker", words, why)


def _resources(picker_spec: Picker) -> NodeMap:
    cpu = from_profile((*_PATH, "cpu"), str(picker_spec.cpu), "as the profile says, or its chart")
    memory = from_profile(
        (*_PATH, "memory"), str(picker_spec.memory), "as the profile says, or its chart"
    )
    return {"requests": {"cpu": cpu, "memory": memory}, "limits": {"memory": memory}}


def _withdrawal() -> Decision:
    seconds = runtimes.common().withdrawal.seconds
    why = f"gateways still call it for {seconds}s after SIGTERM"
    return derived("picker", {"preStop": {"sleep": {"seconds": seconds}}}, why)


def objects(picker_plan: PickerPlan | None, *templates: str) -> tuple[ObjectPlan, ...]:
    """Return these objects of a picker; none without a picker."""
    if picker_plan is None:
        return ()
    return tuple(
        ObjectPlan(template, {"picker": picker_plan}, beside=True) for template in templates
    )


def closed(
    resolution: Resolution, server: ServerPlan, picker_plan: PickerPlan | None
) -> tuple[ObjectPlan, ...]:
    """Return its network policy; none without a picker, or without a policy."""
    peers = resolution.profile.spec.network
    if picker_plan is None or peers is None:
        return ()
    parts = {"picker": picker_plan, "picker_network": _network(resolution, peers, server)}
    return (ObjectPlan("picker-network-policy", parts, beside=True),)


def _network(resolution: Resolution, peers: Network, server: ServerPlan) -> NetworkPlan:
    """Return the allowed callers and destinations of the picker."""
    path = ("spec", "network")
    ingress: list[PlanPart] = []
    if peers.ingress:
        value = {"from": policy.peers_of(peers.ingress), "ports": policy.tcp("grpc")}
        ingress.append(
            from_profile((*path, "ingress"), value, "gateways call it to choose a replica")
        )
    if peers.metrics:
        value = {"from": policy.peers_of(peers.metrics), "ports": policy.tcp("metrics")}
        ingress.append(from_profile((*path, "metrics"), value, "these scrape its metrics"))
    pods = {key: decision.value for key, decision in metadata.selector(resolution).items()}
    servers = {
        "to": [{"podSelector": {"matchLabels": pods}}],
        "ports": policy.tcp(server.ports["http"]),
    }
    api = {"ports": policy.tcp(*API_PORTS)}
    return NetworkPlan(
        ingress=tuple(ingress) or None,
        egress=(
            *policy.names_of_hosts(resolution),
            derived("picker", servers, "the metrics of the replicas"),
            derived("picker", api, "the API server, whose address a policy cannot know"),
        ),
        types=policy.BOTH,
    )
