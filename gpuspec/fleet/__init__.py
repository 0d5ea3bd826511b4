"""Node shapes and slots: what one node has room for."""

from gpuspec.fleet.advertised import advertised
from gpuspec.fleet.labels import NodeLabels, node_labels, pool_labels
from gpuspec.fleet.match import Requirement, alternatives, selects, tolerates, untolerated
from gpuspec.fleet.slots import (
    SYSTEM_PART,
    Common,
    Host,
    bounds,
    common_share,
    divided,
    host,
    share,
    slots,
)

__all__ = [
    "SYSTEM_PART",
    "Common",
    "Host",
    "NodeLabels",
    "Requirement",
    "advertised",
    "alternatives",
    "bounds",
    "common_share",
    "divided",
    "host",
    "node_labels",
    "pool_labels",
    "selects",
    "share",
    "slots",
    "tolerates",
    "untolerated",
]
