"""A pod that its provider refuses on the nodes that it manages alone."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.objects.managed import refused
from gpuspec.objects.objects import Pod

RULE = Rule(
    "GPU840",
    "provider-refuses",
    "error",
    "The provider's managed nodes reject the pod",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Check pods for Autopilot, Fargate or virtual nodes, according to their own fields or the
    profile."""
    whole = context.cluster is not None and context.cluster.autopilot
    provider = None if context.provider == "none" else context.provider
    for refused_field in refused(pod, provider, whole=whole):
        yield RawFinding(
            refused_field.path,
            refused_field.said,
            note="change the pod, or run it on other nodes"
            if refused_field.unless is None
            else f"change the pod, or run it on other nodes, unless {refused_field.unless}",
            confidence="certain" if refused_field.unless is None else "likely",
        )
