"""Node shapes and slots: what one node has room for."""

from gpuspec.fleet.slots import SYSTEM_PART, Common, Host, bounds, common_share, host, share, slots

__all__ = ["SYSTEM_PART", "Common", "Host", "bounds", "common_share", "host", "share", "slots"]
