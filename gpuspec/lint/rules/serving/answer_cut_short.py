"""A route whose gateway ends a request before a server that generates text has answered it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.serving.routes import (
    generates,
    limits_of,
    rules_of,
    said_elsewhere,
)
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests.durations import parse_duration
from gpuspec.manifests.values import at, text
from gpuspec.numbers import read_whole
from gpuspec.objects.collection import Collection
from gpuspec.objects.objects import Object
from gpuspec.runtimes import gateways

if TYPE_CHECKING:
    from gpuspec.lint.analysis.serving.routes import RoutePart
    from gpuspec.manifests import Path
    from gpuspec.runtimes.gateways import RouteKind, TimeoutLimit

RULE = Rule(
    "GPU816",
    "answer-cut-short",
    "warning",
    "A gateway times out before a generated answer is complete",
    fix="unsafe",
)
ENOUGH = 60
"""Seconds of a limit that somebody chose, and that many answers keep to."""
_THEN = {
    "request": "even in the middle of a streamed answer",
    "silence": "so an answer that is not streamed, or waits in a queue, ends with status 504",
}


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Yield limits of routes to what generates text: those that are set, and those that hold
    otherwise."""
    for row in gateways.limits().routes:
        for route in collection.of(row.group, row.kind):
            for part in rules_of(route, row):
                finding = _judge(route, part, row, collection)
                if finding is not None and generates(route, part, row, collection):
                    yield finding


def _judge(
    route: Object, part: RoutePart, row: RouteKind, collection: Collection
) -> RawFinding | None:
    set_fields = [field for field in row.said if at(part.value, _steps(field)) is not None]
    if set_fields:
        seconds_of = {field: _seconds(at(part.value, _steps(field))) for field in set_fields}
        short = [field for field, seconds in seconds_of.items() if seconds and seconds < ENOUGH]
        return _chosen(route, part, short[0]) if short else None
    limits = limits_of(route, row, collection)
    if limits is None:
        # Whichever gateway it is, a policy of one that is known says its limit.
        timeout_limits = gateways.limits().gateways
        said_so = any(said_elsewhere(limit, collection) for limit in timeout_limits)
        return None if said_so else _unknown(route, part, row)
    for limit in limits:
        if limit.annotation in route.annotations:
            return _annotated(route, limit)
        if not said_elsewhere(limit, collection):
            return _silent(route, part, row, limit)
    return None


def _chosen(route: Object, part: RoutePart, field: str) -> RawFinding:
    path = part.path(route, *_steps(field))
    return RawFinding(
        path,
        f"`{field}` ends a request after {at(part.value, _steps(field))}, "
        f"{_THEN['request']}: many answers take longer",
        note="raise the limit: it must cover the longest answer, including its wait in the queue",
        confidence="likely",
        object=route.number,
    )


def _annotated(route: Object, limit: TimeoutLimit) -> RawFinding | None:
    annotation_text = text(route.annotations[limit.annotation])
    for entry in annotation_text.split(",") if limit.part else (annotation_text,):
        name, _, value = entry.rpartition("=")
        if name.strip() != limit.part:
            continue
        seconds = _seconds(value.strip())
        if not seconds or seconds >= ENOUGH:
            return None
        return RawFinding(
            route.path("metadata", "annotations", limit.annotation),
            f"{limit.title} gives up on a server that sends nothing for {seconds}s, "
            f"{_THEN[limit.ends]}",
            note="raise the limit to the duration of the longest answer",
            confidence="likely",
            object=route.number,
        )
    return None


def _silent(route: Object, part: RoutePart, row: RouteKind, limit: TimeoutLimit) -> RawFinding:
    first = row.said[0] if row.said else limit.annotation
    place: Path = (
        part.path(route, *_steps(first))
        if row.said
        else route.path("metadata", "annotations", first)
    )
    instead = row.instead if row.said else limit.instead
    default_limit = (
        f"ends a request after its default of {limit.seconds}s"
        if limit.ends == "request"
        else f"by default gives up on a server that sends nothing for {limit.seconds}s"
    )
    policy = limit.policies[0] if limit.policies else None
    return RawFinding(
        place,
        f"the route does not set `{first}`: {limit.title} {default_limit}, {_THEN[limit.ends]}",
        note=f"set `{policy.said}` of a {policy.kind} to the duration of the longest answer"
        if limit.by_policy and policy is not None
        else f"set `{first}` to the duration of the longest answer, such as `{instead}`",
        confidence="likely",
        object=route.number,
        fix=None
        if limit.by_policy
        else Fix(f"set `{first}` to `{instead}`", (Put(place, instead),)),
    )


def _unknown(route: Object, part: RoutePart, row: RouteKind) -> RawFinding | None:
    """Return a route to a gateway that is not here: most have a limit."""
    if not row.gateway:
        return None
    default_limits = ", ".join(
        f"{gateway.title} after {gateway.seconds}s" for gateway in gateways.limits().gateways
    )
    return RawFinding(
        part.path(route, *_steps(row.said[0])),
        f"the route does not set `{row.said[0]}`: most gateways end a request after a default time, "
        f"{_THEN['request']}",
        note=f"set `{row.said[0]}` to the duration of the longest answer: the defaults are {default_limits}",
        severity="info",
        confidence="possible",
        object=route.number,
    )


def _steps(field: str) -> Path:
    return tuple(field.split("."))


def _seconds(value: object) -> int | None:
    """Return a limit in seconds; 0 for no limit, and None if unknown."""
    duration = str(value)
    if duration in ("infinity", "infinite"):
        return 0
    number = read_whole(duration)
    if number is not None:
        return number
    try:
        return parse_duration(duration)
    except ValueError:
        return None
