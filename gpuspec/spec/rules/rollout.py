"""Rules for the rollout of a server."""

from collections.abc import Iterator

from gpuspec.spec.exposing import Rollout
from gpuspec.spec.rules.violation import SpecViolation


def problems(rollout: Rollout) -> Iterator[SpecViolation]:
    """Yield violations of the rules for a rollout."""
    path = ("spec", "rollout")
    if rollout.surge == 0 and rollout.unavailable == 0:
        yield SpecViolation(
            "neither new nor missing replicas are allowed, so no pod can be replaced",
            (*path, "unavailable"),
            "set surge: 1, or unavailable: 1",
            needs=((*path, "surge"),),
        )
