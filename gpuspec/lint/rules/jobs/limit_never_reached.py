"""A time limit that another one above it comes before."""

from collections.abc import Iterator

from gpuspec.lint.analysis.gangs.time_limits import TimeLimit, time_limits
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.manifests.durations import format_duration
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU760",
    "limit-never-reached",
    "warning",
    "A time limit is never reached because another one is shorter",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield finite work with accelerators that has several time limits, one within the other."""
    if not any(pod.has_gpu or pod.claims for pod in obj.pods):
        return
    limits = time_limits(obj)
    for inner in limits:
        above = [outer for outer in limits if inner.is_within(outer)]
        if not above:
            continue
        first = min(above, key=lambda outer: outer.seconds)
        if first.seconds >= inner.seconds:
            continue
        yield RawFinding(
            inner.path,
            f"{inner.said} allows {format_duration(inner.seconds)}, but {first.said} ends the "
            f"run after {format_duration(first.seconds)}: the work since the last checkpoint is "
            "lost",
            note=_note(inner, first),
            confidence="likely",
            related=(RelatedPlace(obj.number, first.path, "this limit comes first"),),
        )


def _note(inner: TimeLimit, first: TimeLimit) -> str:
    least, most = format_duration(inner.seconds), format_duration(first.seconds)
    if first.path[-1] == "schedule":
        return f"schedule the runs at least {least} apart, or lower {inner.said} to at most {most}"
    return f"raise {first.said} to at least {least}, or lower {inner.said} to at most {most}"
