"""Fields of an object that a controller sets after an apply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.manifests.values import at

if TYPE_CHECKING:
    from gpuspec.manifests import Path

KUEUE = "Kueue"
QUEUE = "kueue.x-k8s.io/queue-name"
"""The label with the queue of an object that Kueue manages."""
PARTIAL = "kueue.x-k8s.io/job-min-parallelism"
"""The annotation that lets Kueue start a Job with fewer pods."""
REPLICAS = "spec.replicas"
"""The field that the scale subresource of most kinds sets."""
_OFF = (None, False, "", "false")


class NormalizedField(msgspec.Struct, frozen=True):
    """A field whose values are stored under another spelling."""

    path: Path
    words: tuple[tuple[str, str], ...]
    """The written value and the stored value of each pair."""
    since: str
    """The first release with the new values; earlier ones reject them."""


class Rewriter(msgspec.Struct, frozen=True):
    """A webhook that rewrites objects, each quantity in its canonical form: `1000m` is stored as
    `1`.

    The API server does so with its own kinds, and keeps all other objects as written. Observed with
    JobSet 0.12.0, LeaderWorkerSet 0.9.0 and Kueue 0.19.2, whose webhooks run for objects with a
    queue; KServe's webhook uses the same library.
    """

    by: str
    queued: bool = False
    """Whether it rewrites only objects with a Kueue queue."""
    words: tuple[NormalizedField, ...] = ()


BY_KUEUE = Rewriter(KUEUE, queued=True)


class ControllerField(msgspec.Struct, frozen=True):
    """A field that a controller sets after an apply; if a manifest sets it too, the next apply
    reverts it."""

    field: str
    """The field's pattern."""
    by: str = ""
    """The controller; empty for the autoscalers that target the object."""
    on: tuple[Path, ...] = ()
    """The fields of the object that must all be set for the controller to act."""
    off: Path = ()
    """The field that stops the controller."""

    def holds(self, value: dict[str, Any]) -> bool:
        """Return whether the whole object has these fields. An autoscaler is an object of its own,
        which this does not see."""
        if not self.by or (self.off and at(value, self.off) not in _OFF):
            return False
        return all(at(value, path) not in _OFF for path in self.on)
