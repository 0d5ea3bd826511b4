"""GPU errors that the driver reports by number (Xid)."""

from gpuspec.runtimes.exporters import user_errors

_LAST = "DCGM_FI_DEV_XID_ERRORS"


def broken() -> str:
    """Return the expression for GPUs whose last Xid is one that no program causes."""
    exclusions = " ".join(f"unless {_LAST} == {number}" for number in user_errors())
    return f"{_LAST} > 0 {exclusions}"
