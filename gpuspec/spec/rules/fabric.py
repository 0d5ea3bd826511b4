"""Rules for the fabric of a pool: resources, network attachments, settings and domain."""

import re
from collections.abc import Iterator, Mapping

from gpuspec import hardware
from gpuspec.hardware import Fabric
from gpuspec.manifests import Path, dns_label, dns_subdomain, label_key
from gpuspec.spec.fabric import Rdma
from gpuspec.spec.quoting import shown
from gpuspec.spec.rules.environment import is_variable_name
from gpuspec.spec.rules.metadata import annotations
from gpuspec.spec.rules.resource_names import extended_resource
from gpuspec.spec.rules.violation import SpecViolation

HUGEPAGE = 2 << 20
HOSTNAME = "kubernetes.io/hostname"
# A name that the kernel takes for a network interface.
_INTERFACE = re.compile(r"(?!\.{1,2}$)[A-Za-z0-9_.-]{1,15}")
GKE_NETWORK = "networking.gke.io.networks/"
GKE_ADDRESS = ".IP"
# Every pod is on the cluster's own network, whatever else is attached.
GKE_DEFAULT = "default"
# What the network that pods go out by is called in them.
FIRST_INTERFACE = "eth0"
_WRITTEN = {
    "k8s.v1.cni.cncf.io/networks": "networks",
    "networking.gke.io/interfaces": "interfaces",
    "networking.gke.io/default-interface": "interfaces",
}
_OFF = ("0", "false", "no", "off")
_NCCL = "NCCL_"


def problems(rdma: Rdma, gpus: str, path: Path) -> Iterator[SpecViolation]:
    """Yield violations of the rules for a pool's fabric. `gpus` is the resource of the pool's GPUs."""
    if rdma.resource is not None:
        yield from _resource(rdma.resource, gpus, (*path, "resource"))
    for name in rdma.resources:
        where = (*path, "resources", name)
        if name == rdma.resource:
            message = f"`{name}` repeats `resource`"
            yield SpecViolation(message, where, "delete one of the two", key=True)
        elif name.startswith("hugepages-"):
            yield SpecViolation(f"`{name}` is not a device", where, "write `hugepages`", key=True)
        else:
            yield from _resource(name, gpus, where, key=True)
    yield from _environment(rdma, gpus, (*path, "env"))
    if rdma.hugepages is not None and rdma.hugepages.value % HUGEPAGE:
        message = f"hugepages of {rdma.hugepages} are not a multiple of 2Mi"
        yield SpecViolation(message, (*path, "hugepages"))
    for index, network in enumerate(rdma.networks):
        if reason := _network(network):
            hint = "write name, namespace/name or namespace/name@interface"
            yield SpecViolation(f"{shown(network)}: {reason}", (*path, "networks", index), hint)
    yield from _interfaces(rdma, path)
    yield from annotations(rdma.annotations, (*path, "annotations"))
    for key in rdma.annotations:
        if field := _WRITTEN.get(key):
            where = (*path, "annotations", key)
            yield SpecViolation(
                f"`{key}` is derived from `{field}`", where, f"write `{field}`", key=True
            )
    yield from _domain(rdma.domain, (*path, "domain"))


def turned_off(resource: str, env: Mapping[str, object], vendor: str) -> str | None:
    """Return the variable in an environment that keeps a vendor's library from using the fabric of
    a resource."""
    return kept_off(hardware.fabric(resource), env, vendor)


def kept_off(fabric: Fabric | None, env: Mapping[str, object], vendor: str) -> str | None:
    """Return the variable in an environment that keeps a vendor's library from using a fabric.

    None if there is none, or the library's variables are unknown; RCCL reads those of NCCL.
    """
    library = hardware.pod_needs(vendor).collectives
    if library is not None and library.begin != _NCCL:
        return None
    if str(env.get("NCCL_NET", "")).lower() == "socket":
        return "NCCL_NET"
    if fabric is not None and fabric.name == "efa":
        provider = str(env.get("FI_PROVIDER", "efa")).lower()
        lists_efa = "efa" in re.split("[,;]", provider.removeprefix("^"))
        return "FI_PROVIDER" if lists_efa == provider.startswith("^") else None
    if fabric is not None and fabric.name != "verbs":
        return None
    # A resource with a name of one's own stands for verbs devices as well.
    disabled = str(env.get("NCCL_IB_DISABLE", "0")).lower()
    return "NCCL_IB_DISABLE" if disabled not in ("", *_OFF) else None


def _resource(name: str, gpus: str, path: Path, *, key: bool = False) -> Iterator[SpecViolation]:
    if reason := extended_resource(name):
        yield SpecViolation(reason, path, key=key)
    elif name == gpus or hardware.is_gpu_resource(name):
        yield SpecViolation(f"`{name}` is the GPUs' resource, not the fabric's", path, key=key)


def _environment(rdma: Rdma, gpus: str, path: Path) -> Iterator[SpecViolation]:
    for name in rdma.env:
        if not is_variable_name(name):
            message = f"{shown(name)} is not a name for an environment variable"
            yield SpecViolation(message, (*path, name), key=True)
    device = hardware.resource(gpus)
    maker = device.vendor if device else "nvidia"
    if off := kept_off(rdma.known_fabric, rdma.env, maker):
        library = hardware.pod_needs(maker).collectives
        yield SpecViolation(
            f"{off}={rdma.env[off]} disables this fabric for {library.name if library else 'NCCL'}",
            (*path, off),
            "delete it, or the whole `rdma`: pods would hold devices but use TCP",
            needs=((*path[:-1], "resource"), (*path[:-1], "recipe")),
        )


def _network(text: str) -> str | None:
    """Return why a string is not the name of a network attachment, or None if it is."""
    attachment, at, interface = text.partition("@")
    if at and not _INTERFACE.fullmatch(interface):
        return f"{shown(interface)} is not an interface name"
    namespace, slash, name = attachment.rpartition("/")
    if slash and (reason := dns_label(namespace)):
        return f"the namespace {reason}"
    return f"the name {reason}" if (reason := dns_subdomain(name)) else None


def _interfaces(rdma: Rdma, path: Path) -> Iterator[SpecViolation]:
    devices = set(rdma.devices)
    has_first = FIRST_INTERFACE in rdma.interfaces
    interface_of_network: dict[str, str] = {} if has_first else {GKE_DEFAULT: FIRST_INTERFACE}
    for interface, network in rdma.interfaces.items():
        where = (*path, "interfaces", interface)
        if not _INTERFACE.fullmatch(interface):
            message = f"{shown(interface)} is not an interface name"
            yield SpecViolation(
                message, where, "at most 15 letters, digits, '-', '_' or '.'", key=True
            )
        if interface == FIRST_INTERFACE and GKE_NETWORK + network in devices:
            message = f"`{FIRST_INTERFACE}` is the pod's default route, but {network} is the fabric"
            yield SpecViolation(message, where, f"use eth1: {network}", key=True)
        if network in interface_of_network:
            message = f"`{interface_of_network[network]}` is already on network {network}"
            yield SpecViolation(message, where, "a pod joins a network once")
        interface_of_network.setdefault(network, interface)
    main = () if rdma.resource is None else (rdma.resource,)
    for field, names in (("resource", main), ("resources", tuple(rdma.resources))):
        for name in names:
            if not name.startswith(GKE_NETWORK):
                continue
            network = name.removeprefix(GKE_NETWORK).removesuffix(GKE_ADDRESS)
            if network not in interface_of_network:
                several = field == "resources"
                yield SpecViolation(
                    f"pods request network {network} but are not attached to it",
                    (*path, field, name) if several else (*path, field),
                    f"add interfaces: {{eth1: {network}}}, with its name in the pod",
                    key=several,
                    needs=((*path, "interfaces"),),
                )


def _domain(domain: str | None, path: Path) -> Iterator[SpecViolation]:
    if domain is None:
        return
    if reason := label_key(domain):
        yield SpecViolation(f"{shown(domain)} is not a label key: {reason}", path)
    elif domain == HOSTNAME:
        message = f"with `{HOSTNAME}` every node is a domain of its own"
        yield SpecViolation(
            message, path, "use a label that nodes share: a rack, a block, a leaf switch"
        )
