"""A release that Flux gives up while its pods are still allowed to start."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from gpuspec.charts.objects import objects_of
from gpuspec.charts.release import Release, releases
from gpuspec.lint.analysis.serving.probes import times
from gpuspec.lint.context import Context
from gpuspec.lint.fixes import set_field
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests import Path, format_duration, parse_duration
from gpuspec.manifests.values import at, mapping, whole
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU525",
    "helm-wait-short",
    "warning",
    "Flux declares a release failed before its pods can become ready",
    fix="unsafe",
)
DEFAULT = 300
"""Flux's default timeout of a release in seconds."""
MARGIN = 300
"""Seconds on top in the fix, for a node, an image, a volume."""
_ACTIONS = ("install", "upgrade")
_THEN = {"install": "uninstalled", "upgrade": "rolled back"}


class Wait(msgspec.Struct, frozen=True):
    """How long Flux waits for one action."""

    action: str
    seconds: int
    path: Path
    written: bool
    retries: bool
    """What failed is undone and tried again."""


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield the waiting of a release against the startup probes of its pods."""
    for release in releases(obj):
        slowest = max(_budgets(release), default=0)
        short = [wait_entry for wait_entry in _waits(obj) if wait_entry.seconds < slowest]
        if short:
            # What is undone is worse than what only counts as failed.
            wait = next((wait_entry for wait_entry in short if wait_entry.retries), short[0])
            yield _found(wait, slowest)


def _budgets(release: Release) -> Iterator[int]:
    """Yield how long the pods with GPUs may take to start."""
    for chart_object in objects_of(release):
        for pod in Object(chart_object.value).pods:
            probes = [container.probe("startup") for container in pod.containers]
            for probe in probes if pod.has_gpu else ():
                if probe is not None and (probe_times := times(probe)) is not None:
                    yield probe_times.budget


def _waits(obj: Object) -> Iterator[Wait]:
    """Yield how long Flux waits, of each action that waits at all."""
    for action in _ACTIONS:
        action_values = mapping(obj.spec.get(action))
        if action_values.get("disableWait") is True:
            continue
        steps = (action, "timeout") if "timeout" in action_values else ("timeout",)
        timeout = at(obj.spec, steps)
        retries = whole(at(action_values, ("remediation", "retries")), 0) or 0
        try:
            seconds = DEFAULT if timeout is None else parse_duration(timeout)
        except (ValueError, TypeError):
            continue
        path = obj.path("spec", *steps)
        yield Wait(action, seconds, path, timeout is not None, retries != 0)


def _found(wait: Wait, slowest: int) -> RawFinding:
    default = "" if wait.written else " (its default)"
    then = f"is {_THEN[wait.action]} and starts again" if wait.retries else "counts as failed"
    longer = format_duration(slowest + MARGIN)
    return RawFinding(
        wait.path,
        f"the startup probe allows {slowest} s, but Flux waits {wait.seconds} s{default}: a "
        f"release whose pods still load {then}",
        severity="warning" if wait.retries or wait.written else "info",
        fix=set_field(wait.path, longer),
    )
