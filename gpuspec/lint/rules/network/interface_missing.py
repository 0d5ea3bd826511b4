"""Interfaces that NCCL's plugins for GKE are told of, and the pod does not have."""

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


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield pods on networks of their own; of the node's network nothing is known, nor of
    claims."""
    if not is_whole(pod) or pod.spec.get("hostNetwork") is True or pod.claims:
        return
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
            missing_names = (
                "" if len(missing) == len(named_interfaces) else f" {', '.join(missing)}"
            )
            yield RawFinding(
                (*gpu_container.env_path(name), "value"),
                f"`{name}` names {names(named_interfaces)}, but the annotation `{INTERFACES}` "
                f"{fault}{missing_names}: the plugin does not find its adapters, and NCCL fails or uses "
                "TCP",
                note=(
                    "write one interface for each of the node's networks, with the names from the "
                    "variable"
                ),
                confidence="likely",
            )
