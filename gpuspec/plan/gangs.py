"""Who starts pods that work together, and so whose queue a spec names.

Kueue wherever it is installed; without it the scheduler of the profile's GPU pods, where that is one
that starts pods together. Some targets have one system alone, whatever else is installed.
"""

import msgspec

from gpuspec.plan.case import Case
from gpuspec.plan.target import Target


class System(msgspec.Struct, frozen=True):
    """What starts pods together once there is room for all of them."""

    name: str
    component: str
    """As profiles list it in `installed`."""
    version: str
    """The one whose code was read."""


KUEUE = System("Kueue", "kueue", "0.19")
VOLCANO = System("Volcano", "volcano", "1.15")


def system(case: Case, target: Target) -> System:
    """Whose queue the `queue` of a spec is; Kueue's, too, where there is nobody's."""
    return VOLCANO if target.queues == "volcano" else KUEUE
