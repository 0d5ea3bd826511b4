"""ResourceSlices as AMD's DRA driver writes them.

Source: ROCm/k8s-gpu-dra-driver, docs/driver-attributes.md at 06dbe5833.
"""

from typing import Any

from tests.control_plane.slices import API


def amd_slice(node: str, count: int, kind: str, profile: str | None) -> dict[str, Any]:
    """The slice of a node with MI300X, or with so many parts of such."""
    told = {"type": kind, "productName": "AMD_Instinct_MI300X_OAM", "partitionProfile": profile}
    attributes = {name: {"string": value} for name, value in told.items() if value}
    devices = [{"name": f"gpu-{at}-{128 + at}", "attributes": attributes} for at in range(count)]
    pool = {"name": node, "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": "gpu.amd.com", "nodeName": node, "pool": pool, "devices": devices}
    return {
        "apiVersion": API,
        "kind": "ResourceSlice",
        "metadata": {"name": f"{node}-amd"},
        "spec": spec,
    }
