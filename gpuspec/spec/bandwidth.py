"""The speed at which weights are read: from the profile, or a default."""

import math

from gpuspec.spec.profile import ClusterProfileSpec

# Bytes per second, careful figures for want of the profile's: one stream from network storage, one
# from a hub.
ASSUMED_VOLUME = 200 * 2**20
ASSUMED_DOWNLOAD = 100 * 2**20


def reading_speed(
    cluster: ClusterProfileSpec, claim: str | None, *, downloads: bool
) -> tuple[int | None, str]:
    """Return bytes per second from a hub, or from a volume with its claim, if it has one.

    None if the profile does not set it. The second value is the profile's field for it.
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
