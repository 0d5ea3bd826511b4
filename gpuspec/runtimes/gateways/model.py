"""The types of the tables of gateways: timeouts of a request, and series of requests."""

from typing import Literal

from msgspec import Struct

from gpuspec.runtimes.fact import Fact

Ends = Literal["request", "silence"]
"""What a timeout measures. `request`: the whole request, with a streamed answer. `silence`: time
without any byte, such as before an answer that is not streamed."""


class TimeoutPolicy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind of object that sets another timeout."""

    group: str
    kind: str
    said: str
    """The field with the timeout."""


class TimeoutLimit(Fact, frozen=True, kw_only=True):
    """The default timeout of one implementation."""

    title: str
    name: str = ""
    """The name of the implementation in profiles; empty if profiles have none."""
    seconds: int
    ends: Ends = "request"
    controllers: tuple[str, ...] = ()
    """The controller names of the implementation's classes."""
    classes: tuple[str, ...] = ()
    """Patterns of the usual names of these classes."""
    annotation: str = ""
    """The route's annotation with another timeout."""
    part: str = ""
    """The key in front of the value, if the annotation has several settings."""
    instead: str = ""
    """The value to write into the annotation."""
    policies: tuple[TimeoutPolicy, ...] = ()
    asks_root: tuple[TimeoutPolicy, ...] = ()
    """Policies that set another health check path. The implementation checks `/` of each backend,
    unless one of these policies applies; empty if it does not check, or checks the path of the
    probe."""
    by_policy: bool = False
    """Whether only these policies set another timeout, and fields of the route do not."""


class RouteKind(Fact, frozen=True, kw_only=True):
    """One kind of route."""

    group: str
    kind: str
    rules: str = ""
    """The pattern of the parts with a timeout and backends of their own; empty for the whole
    object."""
    said: tuple[str, ...] = ()
    """Fields of a rule that set the timeout."""
    backends: str
    """The pattern of the backend references in a rule."""
    name: str = "name"
    """The field of a backend reference with the backend's name or host."""
    hosts: str = ""
    """The path of the host names in the object."""
    generates: bool = False
    """Whether every backend generates text."""
    limit: TimeoutLimit | None = None
    """The timeout of the kind itself. None if the gateway or the class decides, or if there is
    none."""
    gateway: bool = False
    """Whether the timeout is that of the gateways in `parentRefs`."""
    ingress: bool = False
    """Whether the timeout is that of the Ingress class."""
    instead: str = ""
    """The value to write into the first field of `said`."""


class TimeoutLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All timeouts."""

    routes: tuple[RouteKind, ...]
    gateways: tuple[TimeoutLimit, ...]
    ingresses: tuple[TimeoutLimit, ...]


class Series(Fact, frozen=True, kw_only=True):
    """A series of requests to a server, as a gateway or a picker emits it."""

    name: str
    title: str
    """The program that emits the series."""
    counts: str
    labels: tuple[str, ...]
    """The labels that distinguish one server from another."""
    counter: bool = False
    """Whether the series is a counter, whose rate is measured."""
    appears: bool = False
    """Whether the series is absent before the first request."""
    wakes: bool | None = None
    """Whether the series counts requests while the server has no replica; None if this depends on
    its labels."""
