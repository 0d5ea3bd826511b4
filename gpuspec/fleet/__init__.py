"""Node shapes and slots: what one node has room for."""

from gpuspec.fleet.slots import Host, common_share, host, share, slots

__all__ = ["Host", "common_share", "host", "share", "slots"]
