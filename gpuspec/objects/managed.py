"""The fields that a provider rejects in pods for nodes that it manages itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from gpuspec.hardware import managed_nodes
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.scheduling import scheduling

if TYPE_CHECKING:
    from gpuspec.hardware import ManagedNodes, ManagedRefusal
    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Pod

Told = Iterator[tuple["Path", str]]
_GPU = "nvidia.com/gpu"


class RefusedField(NamedTuple):
    """A field of a pod that the provider rejects."""

    path: Path
    said: str
    """The message: what is rejected, and the consequence."""
    unless: str | None
    """A condition, invisible in manifests, under which it is accepted; None if the rejection is
    certain."""


def refused(pod: Pod, provider: str | None, *, whole: bool) -> Iterator[RefusedField]:
    """Yield the fields of a pod that a provider rejects.

    Args:
        pod: any pod; of most nothing is asked, since nothing sends them to such nodes.
        provider: whose cluster it is; None where nobody says.
        whole: whether all nodes of the cluster are the provider's.

    """
    for nodes in managed_nodes():
        if not _goes_to(pod, nodes, provider, whole=whole) or nodes.exempt in pod.labels:
            continue
        for row in nodes.refuses:
            for path, refusal in _PARTS[row.part](pod, row):
                yield RefusedField(path, f"{refusal}: {nodes.then}", row.unless)


def _goes_to(pod: Pod, nodes: ManagedNodes, provider: str | None, *, whole: bool) -> bool:
    if provider is not None and provider not in nodes.providers:
        return False
    if whole and nodes.whole:
        return True
    if nodes.scheduler is not None and pod.spec.get("schedulerName") == nodes.scheduler:
        return True
    # A label that others set too tells nothing without the provider.
    selects = [select for select in nodes.selects if "/" in select[0] or provider is not None]
    node_selector = mapping(scheduling(pod).get("nodeSelector"))
    return any(node_selector.get(key) == value for key, value in selects)


def _privileged(pod: Pod, row: ManagedRefusal) -> Told:
    for container in pod.every:
        if container.security.get("privileged") is True:
            yield (
                container.path("securityContext", "privileged"),
                f"{_who(container)} is privileged",
            )


def _host_network(pod: Pod, row: ManagedRefusal) -> Told:
    if pod.spec.get("hostNetwork") is True:
        yield pod.path("hostNetwork"), "the pod uses the node's network"


def _host_namespaces(pod: Pod, row: ManagedRefusal) -> Told:
    for field in ("hostNetwork", "hostPID", "hostIPC"):
        if pod.spec.get(field) is True:
            yield pod.path(field), f"`{field}` is true"


def _host_ports(pod: Pod, row: ManagedRefusal) -> Told:
    for container in pod.every:
        for index, port in enumerate(container.ports):
            if port.get("hostPort"):
                yield (
                    container.path("ports", index, "hostPort"),
                    f"{_who(container)} uses a port of the node",
                )


def _host_paths(pod: Pod, row: ManagedRefusal) -> Told:
    for name, (index, volume) in pod.volumes.items():
        path = text(mapping(volume.get("hostPath")).get("path"))
        if path and not f"{path}/".startswith(row.but or ("\0",)):
            where = pod.path("volumes", index, "hostPath", "path")
            yield where, f"volume `{name}` mounts `{path}` of the node"


def _capabilities(pod: Pod, row: ManagedRefusal) -> Told:
    for container in pod.every:
        for index, name in enumerate(
            items(mapping(container.security.get("capabilities")).get("add"))
        ):
            if isinstance(name, str) and name.removeprefix("CAP_") not in row.but:
                path = container.path("securityContext", "capabilities", "add", index)
                yield path, f"{_who(container)} adds capability `{name}`"


def _devices(pod: Pod, row: ManagedRefusal) -> Told:
    for gpu_container in pod.gpu_containers:
        for device in gpu_container.devices:
            field = "requests" if device.limit is None else "limits"
            where = (*device.resources, field, device.name)
            yield (
                where,
                (f"{_who(gpu_container)} requests `{device.name}`, which none of these nodes has"),
            )


def _gpus_unnamed(pod: Pod, row: ManagedRefusal) -> Told:
    """Yield requests for whole GPUs without a model, which a compute class or a label must name."""
    keys = _keys(pod)
    for gpu_container in pod.gpu_containers:
        if _GPU in gpu_container.limits and keys.isdisjoint(row.but):
            message = (
                f"{_who(gpu_container)} requests `{_GPU}`, but the pod selects no GPU model by "
                f"`{row.but[0]}`"
            )
            yield gpu_container.path(gpu_container.resources_at, "limits", _GPU), message


def _tolerations_of_gpus(pod: Pod, row: ManagedRefusal) -> Told:
    if any(_GPU in container.limits for container in pod.every) or pod.claims:
        return
    for index, toleration in enumerate(items(pod.spec.get("tolerations"))):
        fields = mapping(toleration)
        if fields.get("key") == _GPU and fields.get("operator") == "Exists":
            yield pod.path("tolerations", index), f"the pod tolerates `{_GPU}` but requests no GPU"


def _selectors(pod: Pod, row: ManagedRefusal) -> Told:
    for key in pod.node_selector:
        if key in row.of:
            yield pod.path("nodeSelector", key), f"nodes cannot be selected by `{key}`"


def _namespaces(pod: Pod, row: ManagedRefusal) -> Told:
    owner = pod.object
    if owner.namespace in row.of:
        message = f"namespace `{owner.namespace}` belongs to the provider"
        yield owner.path("metadata", "namespace"), message


def _daemons(pod: Pod, row: ManagedRefusal) -> Told:
    if pod.object.is_a("apps", "DaemonSet"):
        yield pod.object.path("kind"), "a DaemonSet cannot run there"


def _init_containers(pod: Pod, row: ManagedRefusal) -> Told:
    if pod.spec.get("initContainers"):
        yield pod.path("initContainers"), "the pod has init containers"


def _host_aliases(pod: Pod, row: ManagedRefusal) -> Told:
    if pod.spec.get("hostAliases"):
        yield pod.path("hostAliases"), "the pod has host aliases"


def _hooks(pod: Pod, row: ManagedRefusal) -> Told:
    for container in pod.every:
        for field in ("postStart", "preStop"):
            if mapping(container.value.get("lifecycle")).get(field):
                yield container.path("lifecycle", field), f"{_who(container)} has a `{field}` hook"


def _claims(pod: Pod, row: ManagedRefusal) -> Told:
    for name, (index, volume) in pod.volumes.items():
        if "persistentVolumeClaim" in volume:
            yield pod.path("volumes", index), f"volume `{name}` is a PersistentVolumeClaim"


def _keys(pod: Pod) -> set[str]:
    """Return the label keys by which a pod selects nodes, in any field."""
    keys: set[str] = set(pod.node_selector)
    stack: list[Any] = [mapping(scheduling(pod).get("affinity")).get("nodeAffinity")]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            keys |= {text(value.get("key"))}
            stack += value.values()
        elif isinstance(value, list):
            stack += value
    return keys


def _who(container: PodContainer) -> str:
    return f"container `{container.name}`" if container.name else "a container"


_PARTS: dict[str, Callable[[Pod, ManagedRefusal], Told]] = {
    "capabilities": _capabilities,
    "claims": _claims,
    "daemons": _daemons,
    "devices": _devices,
    "gpus-unnamed": _gpus_unnamed,
    "hooks": _hooks,
    "host-aliases": _host_aliases,
    "host-namespaces": _host_namespaces,
    "host-network": _host_network,
    "host-paths": _host_paths,
    "host-ports": _host_ports,
    "init-containers": _init_containers,
    "namespaces": _namespaces,
    "privileged": _privileged,
    "selectors": _selectors,
    "tolerations-of-gpus": _tolerations_of_gpus,
}
