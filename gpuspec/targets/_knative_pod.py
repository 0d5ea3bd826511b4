"""What Knative Serving (1.23) accepts of a pod. Sources: its field masks, its validation, and the
Deployment that it makes of a revision.

It accepts most fields of a pod only with a feature that is off by default, and some never. A field
that Knative sets itself is left out; a field that would be lost is refused.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from gpuspec.plan.decision import Decision, PlanPart
from gpuspec.plan.facets import ContainerPlan, Nodes, PodPlan

AS_IS: Final = ""
OWN: Final = "own"
"""Knative sets it itself."""
NEVER: Final = "never"
POD = {
    "labels": AS_IS,
    "annotations": AS_IS,
    # Always.
    "restart_policy": OWN,
    "service_account": AS_IS,
    "automount_token": AS_IS,
    "service_links": AS_IS,
    "security": "kubernetes.podspec-securitycontext",
    "containers": AS_IS,
    "init_containers": "kubernetes.podspec-init-containers",
    "volumes": AS_IS,
    "subdomain": NEVER,
    "scheduler": "kubernetes.podspec-schedulername",
    "scheduling_group": NEVER,
    "priority_class": "kubernetes.podspec-priorityclassname",
    "runtime_class": "kubernetes.podspec-runtimeclassname",
    # The time of a request: `timeoutSeconds`.
    "grace": OWN,
    "deadline": NEVER,
    "pull_secrets": AS_IS,
    "node_selector": "kubernetes.podspec-nodeselector",
    "affinity": "kubernetes.podspec-affinity",
    "tolerations": "kubernetes.podspec-tolerations",
    "resource_claims": NEVER,
    "spread": "kubernetes.podspec-topologyspreadconstraints",
    "host_network": "kubernetes.podspec-hostnetwork",
    "dns_policy": "kubernetes.podspec-dnspolicy",
}
"""Fields of a pod: accepted as they are, with a feature, never, or set by Knative itself."""
CONTAINER = {
    **dict.fromkeys(ContainerPlan.__struct_fields__, AS_IS),
    "restart_policy": NEVER,
    # It waits until queue-proxy has answered all requests.
    "lifecycle": OWN,
}
VOLUMES = {
    "configMap": AS_IS,
    "emptyDir": AS_IS,
    "projected": AS_IS,
    "secret": AS_IS,
    "csi": "kubernetes.podspec-volumes-csi",
    "ephemeral": "kubernetes.podspec-volumes-ephemeral",
    "hostPath": "kubernetes.podspec-volumes-hostpath",
    "image": "kubernetes.podspec-volumes-image",
    "persistentVolumeClaim": "kubernetes.podspec-persistent-volume-claim",
}
"""Kinds of volumes; Knative accepts no other."""
_WRITTEN_CLAIM = "kubernetes.podspec-persistent-volume-write"
_CAPABILITIES = "kubernetes.containerspec-addcapabilities"
_FIELDS = "kubernetes.podspec-fieldref"
_WRITABLE = ("emptyDir", "ephemeral", "persistentVolumeClaim")
"""Volumes that a container may write to: Knative makes each mount of any other read-only."""
RESERVED_NAMES = ("PORT", "K_SERVICE", "K_CONFIGURATION", "K_REVISION")
# Those of queue-proxy: requests, the drain, metrics, profiles.
RESERVED_PORTS = (8008, 8012, 8013, 8022, 8112, 9090, 9091)


class FeatureUse(msgspec.Struct, frozen=True):
    """The feature that a part of a pod needs, or `NEVER`."""

    what: str
    """The part, by its name in manifests."""
    feature: str
    """`NEVER` where there is none."""
    decision: Decision


def wanted(pod: PodPlan) -> Iterator[FeatureUse]:
    """Yield the parts of a pod that Knative does not accept by default."""
    for field, how in POD.items():
        value = getattr(pod, field)
        if how in (AS_IS, OWN) or (decision := _first(value)) is None:
            continue
        yield FeatureUse(_WORDS.get(field, _camel(field)), how, decision)
    yield from _volumes(pod)
    for container in (*pod.init_containers, *pod.containers):
        yield from _container(container)


_WORDS = {
    "scheduler": "schedulerName",
    "security": "securityContext",
    "priority_class": "priorityClassName",
    "runtime_class": "runtimeClassName",
    "spread": "topologySpreadConstraints",
}


def _camel(field: str) -> str:
    first, *rest = field.split("_")
    return first + "".join(word.title() for word in rest)


def _first(node: object) -> Decision | None:
    """Return a decision of a part of a pod; None if nothing is rendered."""
    if isinstance(node, Decision):
        return None if node.value in (None, [], {}) else node
    if isinstance(node, ContainerPlan):
        return _first(node.name)
    if isinstance(node, Mapping):
        node = tuple(node.values())
    if not isinstance(node, tuple | list):
        return None
    return next((decision for item in node if (decision := _first(item)) is not None), None)


def _volumes(pod: PodPlan) -> Iterator[FeatureUse]:
    mounts = [
        decision.value
        for container in (*pod.init_containers, *pod.containers)
        for decision in _leaves(container.mounts)
    ]
    for decision in _leaves(pod.volumes):
        kind = _kind(decision.value)
        how = VOLUMES.get(kind, NEVER)
        if how != AS_IS:
            yield FeatureUse(f"a volume of kind {kind}", how, decision)
        is_writable = any(
            mount["name"] == decision.value["name"] and not mount.get("readOnly")
            for mount in mounts
        )
        if kind == "persistentVolumeClaim" and not decision.value[kind].get("readOnly"):
            yield FeatureUse("a claim that is not read-only", _WRITTEN_CLAIM, decision)
        if is_writable and kind in ("csi", "hostPath"):
            yield FeatureUse(f"write access to a volume of kind {kind}", NEVER, decision)


def _kind(volume: Mapping[str, Any]) -> str:
    return next(key for key in volume if key != "name")


def _container(container: ContainerPlan) -> Iterator[FeatureUse]:
    security = container.security
    if isinstance(security, Decision):
        if security.value.get("privileged"):
            yield FeatureUse("securityContext.privileged", NEVER, security)
        if security.value.get("capabilities", {}).get("add"):
            yield FeatureUse("capabilities.add", _CAPABILITIES, security)
    for decision in _leaves(container.env):
        if decision.value["name"] in RESERVED_NAMES:
            yield FeatureUse(
                f"variable {decision.value['name']}, which Knative sets itself", NEVER, decision
            )
        if {"fieldRef", "resourceFieldRef"} & (decision.value.get("valueFrom") or {}).keys():
            yield FeatureUse("env.valueFrom.fieldRef", _FIELDS, decision)
    for decision in _leaves(container.mounts):
        for key in decision.value.keys() - {"name", "readOnly", "mountPath", "subPath"}:
            yield FeatureUse(f"volumeMounts.{key}", NEVER, decision)
    main = _first(container.ports)
    if main is not None and main.value["containerPort"] in RESERVED_PORTS:
        words = f"port {main.value['containerPort']}, which queue-proxy uses"
        yield FeatureUse(words, NEVER, main)
    live = container.liveness_probe
    if isinstance(live, Decision) and _asks_another(container, live):
        yield FeatureUse("a liveness probe of a port other than the server's", NEVER, live)


def _asks_another(container: ContainerPlan, probe: Decision) -> bool:
    """Return whether a probe uses a port other than the one that clients reach."""
    main = _first(container.ports)
    handler = probe.value.get("httpGet") or probe.value.get("tcpSocket")
    return bool(handler and main and handler["port"] != main.value["containerPort"])


def carried(pod: PodPlan) -> PodPlan:
    """Return the pod in the form that Knative accepts and keeps unchanged."""
    beside = [
        init_container
        for init_container in pod.init_containers
        if init_container.restart_policy is not None
    ]
    before = [
        init_container
        for init_container in pod.init_containers
        if init_container.restart_policy is None
    ]
    main, *others = pod.containers
    volumes = {decision.value["name"]: _kind(decision.value) for decision in _leaves(pod.volumes)}
    return replace(
        pod,
        restart_policy=None,
        grace=None,
        security=_security(pod.security),
        init_containers=tuple(_mounted(container_plan, volumes) for container_plan in before),
        containers=(
            _mounted(_main(main), volumes),
            *(_mounted(_beside(container_plan), volumes) for container_plan in (*others, *beside)),
        ),
    )


def _security(security: PlanPart) -> PlanPart:
    """Remove the policy for groups of volumes, which Knative does not accept."""
    if not isinstance(security, Decision):
        return security
    value = {
        key: field_value
        for key, field_value in security.value.items()
        if key != "fsGroupChangePolicy"
    }
    return Decision(value, security.reason, security.origin)


def _main(container: ContainerPlan) -> ContainerPlan:
    """Return the server: one port, without a name, and probes with its number."""
    port = _first(container.ports)
    assert port is not None
    number = Decision({"containerPort": port.value["containerPort"]}, port.reason, port.origin)
    probes = {
        field: _numbered(container, probe)
        for field in ("startup_probe", "readiness_probe", "liveness_probe")
        if isinstance(probe := getattr(container, field), Decision)
    }
    ready = probes["readiness_probe"]
    once = {**ready.value, "successThreshold": 1}
    probes["readiness_probe"] = Decision(once, ready.reason, ready.origin)
    return replace(container, ports=(number,), lifecycle=None, **probes)


def _numbered(container: ContainerPlan, probe: Decision) -> Decision:
    """Return a probe with the number of its port: Knative gives the port another name."""
    ports = {
        decision.value["name"]: decision.value["containerPort"]
        for decision in _leaves(container.ports)
    }
    value = {
        key: {**part, "port": ports.get(part["port"], part["port"])}
        if key in ("httpGet", "tcpSocket")
        else part
        for key, part in probe.value.items()
    }
    return Decision(value, probe.reason, probe.origin)


def _beside(container: ContainerPlan) -> ContainerPlan:
    """Return a sidecar: a container like the server, since Knative accepts no sidecar that starts
    before it."""
    return replace(container, restart_policy=None, ports=())


def _mounted(container: ContainerPlan, volumes: Mapping[str, str]) -> ContainerPlan:
    """Add the mounts that its webhook would make read-only."""
    mounts = [
        decision
        if volumes[decision.value["name"]] in _WRITABLE
        else Decision({**decision.value, "readOnly": True}, decision.reason, decision.origin)
        for decision in _leaves(container.mounts)
    ]
    return replace(container, mounts=tuple(mounts))


def _leaves(nodes: Nodes) -> Iterator[Decision]:
    for node in nodes:
        assert isinstance(node, Decision)
        yield node
