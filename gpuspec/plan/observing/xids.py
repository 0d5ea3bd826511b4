"""Errors of a GPU that its driver reports by a number."""

from gpuspec.runtimes.exporters import user_errors

_LAST = "DCGM_FI_DEV_XID_ERRORS"


def broken() -> str:
    """Return GPUs whose last error is one that no program causes."""
    own = " ".join(f"unless {_LAST} == {number}" for number in user_errors())
    return f"{_LAST} > 0 {own}"
