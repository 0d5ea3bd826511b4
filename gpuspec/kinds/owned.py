"""Fields of an object that a controller sets once it is applied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.manifests.values import at

if TYPE_CHECKING:
    from gpuspec.manifests import Path

KUEUE = "Kueue"
QUEUE = "kueue.x-k8s.io/queue-name"
"""The label by which what Kueue manages names its queue."""
PARTIAL = "kueue.x-k8s.io/job-min-parallelism"
"""The annotation by which Kueue may start a Job with fewer pods at once."""
REPLICAS = "spec.replicas"
"""What the scale subresource sets of most kinds."""
_OFF = (None, False, "", "false")


class NormalizedField(msgspec.Struct, frozen=True):
    """Words of a field that are stored as others."""

    path: Path
    words: tuple[tuple[str, str], ...]
    """As they are written, and as they are stored."""
    since: str
    """The release from which on; earlier ones do not know the new words."""


class Rewriter(msgspec.Struct, frozen=True):
    """Whose webhook writes objects anew, each quantity in its one form: `1000m` is stored as `1`.

    The API server does so with its own kinds; of all others it keeps what is written. Seen with JobSet
    0.12.0, LeaderWorkerSet 0.9.0 and Kueue 0.19.2, whose webhooks run for what names a queue; KServe's
    is made of the same library.
    """

    by: str
    queued: bool = False
    """Only those that name a queue of Kueue's."""
    words: tuple[NormalizedField, ...] = ()


BY_KUEUE = Rewriter(KUEUE, queued=True)


class ControllerField(msgspec.Struct, frozen=True):
    """A field that a controller sets after an apply: where it is written too, the next sets it back."""

    field: str
    """Its pattern."""
    by: str = ""
    """Who sets it; empty for the autoscalers whose target the object is."""
    on: tuple[Path, ...] = ()
    """The fields of the object by which it does, all of them together."""
    off: Path = ()
    """The field that keeps it from that."""

    def holds(self, value: dict[str, Any]) -> bool:
        """Return whether an object, whole, says so itself. An autoscaler beside it says so
        elsewhere."""
        if not self.by or (self.off and at(value, self.off) not in _OFF):
            return False
        return all(at(value, path) not in _OFF for path in self.on)
