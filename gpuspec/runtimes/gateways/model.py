"""The typed form of the tables: what ends a request on its way, and what counts requests there."""

from typing import Literal

from msgspec import Struct

from gpuspec.runtimes.fact import Fact

Ends = Literal["request", "silence"]
"""What takes too long. `request`: the whole of it, a streamed answer too. `silence`: that nothing
is sent, as before an answer that is not streamed."""


class TimeoutPolicy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind of objects that say another limit."""

    group: str
    kind: str
    said: str
    """The field that says it."""


class TimeoutLimit(Fact, frozen=True, kw_only=True):
    """How long one implementation waits where nothing is said."""

    title: str
    name: str = ""
    """As profiles call the implementation; empty where they have no word for it."""
    seconds: int
    ends: Ends = "request"
    controllers: tuple[str, ...] = ()
    """What the classes that it serves name as their controller."""
    classes: tuple[str, ...] = ()
    """What these classes are called, as patterns."""
    annotation: str = ""
    """The route's annotation that says it."""
    part: str = ""
    """The name in front of the value, where the annotation says several things."""
    instead: str = ""
    """What to write as the annotation's value."""
    policies: tuple[TimeoutPolicy, ...] = ()
    asks_root: tuple[TimeoutPolicy, ...] = ()
    """It asks whatever is behind it for `/`, whether it is healthy, unless one of these says another
    path; empty where it does not ask, or asks as probes do."""
    by_policy: bool = False
    """Only they say another: fields of the route do not."""


class RouteKind(Fact, frozen=True, kw_only=True):
    """One kind of routes."""

    group: str
    kind: str
    rules: str = ""
    """The pattern of what has a limit and backends of its own; empty for the whole object."""
    said: tuple[str, ...] = ()
    """Fields of a rule that say the limit."""
    backends: str
    """The pattern of what names a backend, in a rule."""
    name: str = "name"
    """The field there that has its name, or its host."""
    hosts: str = ""
    """Where the names of hosts are, in the object."""
    generates: bool = False
    """Whatever stands behind it generates text."""
    limit: TimeoutLimit | None = None
    """None where it is the gateway's or the class's, or there is none."""
    gateway: bool = False
    """Its limit is that of the gateways which it joins."""
    ingress: bool = False
    """Its limit is that of its class."""
    instead: str = ""
    """What to write into the first field of `said`."""


class TimeoutLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table."""

    routes: tuple[RouteKind, ...]
    gateways: tuple[TimeoutLimit, ...]
    ingresses: tuple[TimeoutLimit, ...]


class Series(Fact, frozen=True, kw_only=True):
    """What a gateway or a picker counts of the requests to a server."""

    name: str
    title: str
    """Who emits it."""
    counts: str
    labels: tuple[str, ...]
    """Those that tell one server's from others'."""
    counter: bool = False
    """It only grows: what is measured is its rate."""
    appears: bool = False
    """There is none before the first request."""
    wakes: bool | None = None
    """Whether it counts while the server has no replica; None where that hangs on its labels."""
