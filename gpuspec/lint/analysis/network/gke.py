"""GKE's further networks of a pod, and the device files that its device injector hands in.

Sources: GoogleCloudPlatform/cluster-toolkit at 104708037, multi-network annotations;
container-engine-accelerators at 992db812, nri_device_injector.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.manifests.json_loading import parse_json
from gpuspec.manifests.values import items, mapping, text

if TYPE_CHECKING:
    from gpuspec.objects.objects import Pod

INTERFACES = "networking.gke.io/interfaces"
DEVICES = "devices.gke.io/container."
"""The prefix of an annotation; the name of the container that gets the device files follows."""


def interfaces(pod: Pod) -> dict[str, str] | None:
    """Return networks by the interfaces in the annotation; None if it cannot be parsed."""
    annotation = pod.annotations.get(INTERFACES)
    if annotation is None:
        return {}
    try:
        rows = parse_json(text(annotation))
    except ValueError:
        return None
    if not isinstance(rows, list):
        return None
    return {
        text(mapping(row).get("interfaceName")): text(mapping(row).get("network"))
        for row in items(rows)
    }


def handed_to(pod: Pod) -> dict[str, str]:
    """Return containers that get device files by annotations, with the annotation."""
    return {
        key.removeprefix(DEVICES): key
        for key in pod.annotations
        if isinstance(key, str) and key.startswith(DEVICES)
    }
