"""Node shapes and slots: how many pods of a shape fit on one node."""

from gpuspec.fleet.advertised import advertised, fabric_devices
from gpuspec.fleet.slots import (
    SYSTEM_PART,
    CommonShare,
    Host,
    bounds,
    common_share,
    divided,
    host,
    machine_of,
    share,
    slots,
)

__all__ = [
    "SYSTEM_PART",
    "CommonShare",
    "Host",
    "advertised",
    "bounds",
    "common_share",
    "divided",
    "fabric_devices",
    "host",
    "machine_of",
    "share",
    "slots",
]
