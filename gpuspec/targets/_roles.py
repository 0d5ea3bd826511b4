"""Which roles decide when a run is done."""

from collections.abc import Mapping

from gpuspec.spec.roles import Ends


def deciding(ends: Mapping[str, Ends]) -> list[str]:
    """Return the roles whose end is the end of the run, out of all roles including the workers."""
    chosen = [name for name, end in ends.items() if end == "the-run"]
    return chosen or [name for name, end in ends.items() if end == "by-itself"]
