"""Node shapes and slots: what one node has room for."""

from gpuspec.fleet.advertised import advertised
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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gpuspec.fleet.labels import NodeLabels, node_labels, pool_labels
    from gpuspec.fleet.match import Requirement, alternatives, selects, tolerates, untolerated

_HOMES = {
    "NodeLabels": "labels",
    "Requirement": "match",
    "alternatives": "match",
    "node_labels": "labels",
    "pool_labels": "labels",
    "selects": "match",
    "tolerates": "match",
    "untolerated": "match",
}


def __getattr__(name: str) -> object:
    """What asks which pods may run on which nodes is imported when it is asked for."""
    if name not in _HOMES:
        raise AttributeError(name)
    from importlib import import_module

    found = globals()[name] = getattr(import_module(f"gpuspec.fleet.{_HOMES[name]}"), name)
    return found
