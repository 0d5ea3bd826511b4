"""Interfaces in the settings of NCCL, or of its GKE plugins, that the pod does not have."""

import re
from collections.abc import Iterator

from gpuspec.lint.analysis.network.gke import INTERFACES, interfaces
from gpuspec.lint.analysis.placement.fabrics import literal_env
from gpuspec.lint.analysis.placement.placing import names
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU782",
    "interface-missing",
    "warning",
    "NCCL is given network interfaces that the pod does not have",
)
_TOLD = ("NCCL_FASTRAK_IFNAME", "NCCL_GPUDIRECTTCPX_SOCKET_IFNAME")
_OWN = "eth0"
_SOCKETS = ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME")
# Names that udev gives to a node's adapters, and bonds of them; a pod's own interface is `eth0`.
_OF_NODE = re.compile(r"(?:en[opsxP][0-9a-zA-Z]*|bond[0-9]*|ibs?[0-9p][0-9a-z]*|em[0-9]+)")
_NETWORKS = ("k8s.v1.cni.cncf.io/networks", "v1.multus-cni.io/default-network", INTERFACES)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield pods on networks of their own; of the node's network nothing is known, nor of
    claims."""
    if not is_whole(pod) or pod.spec.get("hostNetwork") is True or pod.claims:
        return
    yield from _of_node(pod)
    have = interfaces(pod)
    if have is None:
        return
    for gpu_container in pod.gpu_containers:
        env = literal_env(gpu_container)
        for name in _TOLD:
            named_interfaces = [
                interface.strip() for interface in env.get(name, "").split(",") if interface.strip()
            ]
            missing = [
                interface
                for interface in named_interfaces
                if interface != _OWN and interface not in have
            ]
            if not missing:
                continue
            fault = (
                ("provides none of these interfaces")
                if len(missing) == len(named_interfaces)
                else "does not create"
            )
            missing_names = "" if len(missing) == len(named_interfaces) else f" {names(missing)}"
            yield RawFinding(
                (*gpu_container.env_path(name), "value"),
                f"`{name}` names {names(named_interfaces)}, but the annotation `{INTERFACES}` "
                f"{fault}{missing_names}: the plugin does not find its adapters, and NCCL fails or uses "
                "TCP",
                note=f"add {names(missing)} to the annotation, with one of the node's networks for each",
                confidence="likely",
            )


def _of_node(pod: Pod) -> Iterator[RawFinding]:
    """Yield interfaces of the node, for pods whose annotations add no network."""
    if any(name in pod.annotations for name in _NETWORKS):
        return
    for gpu_container in pod.gpu_containers:
        env = literal_env(gpu_container)
        for name in _SOCKETS:
            value = env.get(name, "").strip()
            interfaces_of_value = [part.strip() for part in value.lstrip("=").split(",")]
            if not value or not all(map(_OF_NODE.fullmatch, interfaces_of_value)):
                continue
            yield RawFinding(
                (*gpu_container.env_path(name), "value"),
                f"`{name}` names {', '.join(f'`{part}`' for part in interfaces_of_value)} of the node, but "
                f"the pod has only `{_OWN}`: the ranks find no interface and never connect",
                note=f"write `{_OWN}`, or remove the variable",
                confidence="likely",
            )
