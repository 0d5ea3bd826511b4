"""A network device that a pod requests without attaching the network, or the reverse."""

from collections.abc import Iterator

from gpuspec.lint.analysis.devices.makers import library
from gpuspec.lint.analysis.network.attachments import (
    ANNOTATION,
    DEFAULT,
    AttachedNetwork,
    attached,
    networks,
)
from gpuspec.lint.analysis.network.gke import INTERFACES, interfaces
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU914",
    "network-not-attached",
    "warning",
    "A pod requests a network device without its network attachment, or the reverse",
)
_DEVICE = "networking.gke.io.networks/"


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield further networks, GKE's and those of Multus: resource and annotation belong
    together."""
    if not is_whole(pod) or pod.spec.get("hostNetwork") is True or pod.metadata_path is None:
        return
    yield from _of_gke(pod)
    if (attached_networks := networks(context.collection)) and not pod.claims:
        yield from _of_multus(pod, attached_networks)


def _of_gke(pod: Pod) -> Iterator[RawFinding]:
    attached_to = interfaces(pod)
    if attached_to is None:
        return
    for gpu_container in pod.gpu_containers:
        missing = [
            name
            for name in gpu_container.limits
            if isinstance(name, str)
            and name.startswith(_DEVICE)
            and name.removeprefix(_DEVICE).removesuffix(".IP") not in attached_to.values()
        ]
        if missing:
            network_list = ", ".join(f"`{name.removeprefix(_DEVICE)}`" for name in missing)
            yield RawFinding(
                gpu_container.path(gpu_container.resources_at, "limits", missing[0]),
                f"the pod requests {network_list}, but the annotation `{INTERFACES}` attaches the pod to "
                f"no such network: the pod lacks the interface, and {library(gpu_container)} uses "
                "the pod network",
                note=f'set `{INTERFACES}: \'[{{"interfaceName":"eth1","network":"…"}}]\'` with every '
                "network, and `networking.gke.io/default-interface: eth0`",
                key=True,
                confidence="likely",
            )


def _of_multus(pod: Pod, set_networks: list[AttachedNetwork]) -> Iterator[RawFinding]:
    """Yield the networks of a set whose interfaces are devices."""
    attached_networks = attached(pod, ANNOTATION, set_networks)
    if attached_networks is None:
        return
    requested = {
        str(name) for container in pod.every for name in (*container.limits, *container.requests)
    }
    without = [
        attached_network
        for attached_network in attached_networks
        if not any(map(attached_network.hands_out, requested))
    ]
    if without:
        yield _without_device(pod, without[0])
    if not attached_networks and attached(pod, DEFAULT, set_networks) == []:
        yield from _without_network(pod, set_networks)


def _without_device(pod: Pod, network: AttachedNetwork) -> RawFinding:
    device = network.device.removeprefix("/")
    return RawFinding(
        (*(pod.metadata_path or ()), "annotations", ANNOTATION),
        f"the pod is attached to `{network.object.name}`, but requests no `{device}`, the device of "
        "the network's interfaces: the CNI plugin gets no device, and the pod stays in "
        "`ContainerCreating`",
        note=(
            f"request one `{device}` for each of these networks, or detach the pod from the "
            "network: only a cluster with the network resources injector adds the request itself"
        ),
        confidence="likely",
        related=(
            RelatedPlace(network.object.number, network.object.path("metadata"), "the network"),
        ),
    )


def _without_network(pod: Pod, attached_networks: list[AttachedNetwork]) -> Iterator[RawFinding]:
    namespace = pod.object.namespace
    for container in pod.every:
        for name in container.limits:
            of = [
                attached_network
                for attached_network in attached_networks
                if attached_network.hands_out(str(name))
            ]
            if not of or any(
                namespace and network.namespace not in ("", namespace) for network in of
            ):
                continue
            network_list = ", ".join(sorted({f"`{network.object.name}`" for network in of}))
            yield RawFinding(
                container.path(container.resources_at, "limits", name),
                f"the pod requests a device of {network_list} but is attached to no such network: it "
                f"cannot use the device, and {library(container)} uses the pod network",
                note=f"name the network in the annotation `{ANNOTATION}`",
                key=True,
                confidence="likely",
                related=(
                    RelatedPlace(of[0].object.number, of[0].object.path("metadata"), "the network"),
                ),
            )
            return
