"""How fast weights are read: as a profile says, and what is assumed where it does not."""

import math

from gpuspec.spec.profile import ClusterProfileSpec

# Bytes per second, careful figures for want of the profile's: one stream from network storage, one
# from a hub.
ASSUMED_VOLUME = 200 * 2**20
ASSUMED_DOWNLOAD = 100 * 2**20


def reading_speed(
    cluster: ClusterProfileSpec, claim: str | None, *, downloads: bool
) -> tuple[int | None, str]:
    """Return bytes per second from a hub, or from a volume and the claim behind it, if it has one.

    None where the profile does not say. Beside it the profile's field that says so, or would.
    """
    bandwidth, storage = cluster.bandwidth, cluster.storage
    if downloads:
        field, speed = "bandwidth.download", bandwidth.download
    elif claim is not None and claim in bandwidth.claims:
        field, speed = f"bandwidth.claims.{claim}", bandwidth.claims[claim]
    else:
        field, speed = "bandwidth.default", bandwidth.default
        name = storage.claims.get(claim or "")
        if name and (quantity := storage.classes[name].bandwidth):
            field, speed = f"storage.classes.{name}.bandwidth", quantity
    return (None if speed is None else math.floor(speed.value)), field
