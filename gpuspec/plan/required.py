"""Requirements on every node whatever its GPU model: CPUs, spot, sharing, place."""

from typing import Any

from gpuspec import hardware
from gpuspec.plan.decision import Decision, Note, Origin, derived, from_spec
from gpuspec.plan.fit import architecture
from gpuspec.plan.products import sharing_labels, spot_label
from gpuspec.plan.resolution import Resolution
from gpuspec.spec.pools import REGION_LABEL, ZONE_LABEL

Expression = dict[str, Any]


def architecture_of(resolution: Resolution) -> Decision:
    """Return the CPU architecture of the image."""
    cpu_architecture = architecture(resolution.spec, resolution.models)
    if resolution.spec.architecture:
        return from_spec(("spec", "architecture"), cpu_architecture, "the image is built for it")
    if cpu_architecture == "arm64":
        return derived("placement", cpu_architecture, "every acceptable GPU is on an arm64 host")
    return derived("placement", cpu_architecture, "images are assumed to be amd64")


def demanded(resolution: Resolution) -> tuple[list[Expression], list[Note]]:
    """Return the requirements on every node besides model and CPUs: spot, sharing, place."""
    required, notes = _spot(resolution)
    for key, values in sharing_labels(resolution).items():
        required.append(one_of(key, values))
    return [*required, *somewhere(resolution)], notes


def one_of(key: str, values: list[str]) -> Expression:
    """Return a label that is one of these values."""
    return {"key": key, "operator": "In", "values": values}


def _spot(resolution: Resolution) -> tuple[list[Expression], list[Note]]:
    """Return the term that binds a spot workload to spot nodes, for whose notice and price it was
    sized."""
    if resolution.spec.capacity != "spot":
        return [], []
    labels = {spot_label(chosen.pool) for chosen in resolution.pools}
    if not resolution.pools:
        spot_nodes = hardware.provider(resolution.profile.spec.provider).spot
        labels = {spot_nodes.label if spot_nodes else None}
    label = labels.pop() if len(labels) == 1 else None
    if label is not None:
        return [{"key": label[0], "operator": "In", "values": [label[1]]}], []
    if resolution.pools:
        # Without one label in common they are told apart by what the others have: see exclusions.
        return [], []
    text = "the profile has no label of spot nodes: pods go to any GPU node"
    return [], [Note(text, Origin("spec", ("spec", "capacity")), loud=True)]


def somewhere(resolution: Resolution) -> list[Expression]:
    """Return the node requirements for the zones and regions that the spec names."""
    place, expressions = resolution.spec.place, list[Expression]()
    zones = [zone for chosen in resolution.pools for zone in chosen.pool.all_zones]
    acceptable = [zone for zone in place.zones if zone in zones or not resolution.pools]
    if acceptable:
        expressions.append(one_of(ZONE_LABEL, acceptable))
    regions = [chosen.pool.its_region for chosen in resolution.pools]
    acceptable = [region for region in place.regions if region in regions or not resolution.pools]
    if acceptable:
        expressions.append(one_of(REGION_LABEL, acceptable))
    return expressions
