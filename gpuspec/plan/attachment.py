"""The attachment of a pod to the fabric, and the settings of its communication library."""

import json

from gpuspec import hardware
from gpuspec.plan.decision import Decision, from_profile, from_table
from gpuspec.plan.devices import library
from gpuspec.plan.fabric import FabricShare, added, fabric_pool, fabric_share, unusable
from gpuspec.plan.facets import NodeMap
from gpuspec.plan.permit import Permit
from gpuspec.plan.resolution import ChosenPool, Resolution
from gpuspec.spec.rules.fabric import FIRST_INTERFACE, GKE_DEFAULT

MULTUS = "k8s.v1.cni.cncf.io/networks"
GKE_INTERFACES = "networking.gke.io/interfaces"
GKE_DEFAULT_INTERFACE = "networking.gke.io/default-interface"


def annotations(resolution: Resolution) -> NodeMap:
    """Return annotations of the pod that give it network interfaces."""
    chosen = fabric_pool(resolution)
    if chosen is None or chosen.pool.rdma is None:
        return {}
    rdma, share = chosen.pool.rdma, fabric_share(chosen.pool, resolution.gpus)
    decisions: dict[str, Decision] = {}
    if share is not None and share.networks:
        why = "the fabric's networks, which Multus attaches"
        if len(share.networks) < len(rdma.networks):
            why += (
                f"; {resolution.gpus}/{chosen.pool.gpu.count} of a node's, the same share as of "
                "its GPUs"
            )
        names = ",".join(share.networks)
        decisions[MULTUS] = from_profile(chosen.path("rdma", "networks"), names, why)
    if rdma.interfaces:
        path = chosen.path("rdma", "interfaces")
        why = "the pod's own network stays the default route"
        decisions[GKE_DEFAULT_INTERFACE] = from_profile(path, FIRST_INTERFACE, why)
        listed = _gke_interfaces(rdma.interfaces)
        decisions[GKE_INTERFACES] = from_profile(
            path, listed, "the fabric's networks, by interface"
        )
    for key, value in rdma.annotations.items():
        path = chosen.path("rdma", "annotations", key)
        decisions[key] = from_profile(path, value, "attaches pods to the fabric")
    return decisions


def variables(resolution: Resolution) -> dict[str, Decision]:
    """Return environment variables of the fabric: the table's for its kind, then the profile's."""
    chosen = fabric_pool(resolution)
    if chosen is None or chosen.pool.rdma is None:
        return {}
    decisions: dict[str, Decision] = {}
    for row, variable in _known(chosen):
        decisions[variable.name] = from_table(row, variable.value, variable.why)
    for name, value in sorted(chosen.pool.rdma.env.items()):
        path = chosen.path("rdma", "env", name)
        words = f"{library(resolution)} finds the pool's RDMA fabric by it"
        decisions[name] = from_profile(path, value, words)
    return dict(sorted(decisions.items()))


def given(chosen: ChosenPool, gpus: int, permit: Permit) -> tuple[FabricShare | None, object]:
    """Return everything that a pod gets for a pool's fabric, to compare two pools."""
    share, rdma = fabric_share(chosen.pool, gpus), chosen.pool.rdma
    if share is None or rdma is None or unusable(chosen.pool, gpus, permit):
        return None, None
    stated_values = {variable.name: variable.value for _, variable in _known(chosen)} | rdma.env
    beside = rdma.recipe, rdma.daemon_image, added(rdma, permit)
    return share, (stated_values, rdma.interfaces, rdma.annotations, beside)


def _known(chosen: ChosenPool) -> list[tuple[str, hardware.FabricVariable]]:
    """Return the table's facts about the kind of fabric, with the table's row."""
    rdma = chosen.pool.rdma
    if rdma is None:
        return []
    variables: list[tuple[str, hardware.FabricVariable]] = []
    if rdma.networks or rdma.interfaces:
        attached_variables = hardware.attached_variables(chosen.model.vendor)
        variables += [("hardware/fabrics attached", variable) for variable in attached_variables]
    if fabric := rdma.known_fabric:
        row = f"hardware/fabrics {fabric.name}"
        variables += [
            (row, variable) for variable in fabric.variables if variable.suits(chosen.model)
        ]
    return variables


def _gke_interfaces(interfaces: dict[str, str]) -> str:
    """Return the annotation's JSON. The pod's own interface comes first, named or not."""
    whole = {FIRST_INTERFACE: GKE_DEFAULT} | interfaces
    listed = [{"interfaceName": name, "network": network} for name, network in whole.items()]
    return json.dumps(listed, separators=(",", ":"))
