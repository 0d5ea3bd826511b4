"""Load the tables of gateways when a route is read, or when a server can scale to zero."""

import os
from functools import cache

import msgspec

from gpuspec.manifests.tables import table
from gpuspec.runtimes.gateways.model import Series, TimeoutLimit, TimeoutLimits
from gpuspec.runtimes.load import named

DATA = os.path.join(os.path.dirname(__file__), "data")


@cache
def limits() -> TimeoutLimits:
    """Return the timeouts of all gateways and routes."""
    tables = table(DATA, "limits")
    facts = {key: value for key, value in tables.items() if key != "sources"}
    return msgspec.convert(named(facts, tables["sources"]), TimeoutLimits)


def limit_of(name: str) -> TimeoutLimit:
    """Return the timeout of a gateway implementation, by the name that profiles use."""
    timeout_limits = limits()
    route_limits = [route.limit for route in timeout_limits.routes if route.limit is not None]
    return next(
        gateway for gateway in (*timeout_limits.gateways, *route_limits) if gateway.name == name
    )


@cache
def series() -> tuple[Series, ...]:
    """Return the series of requests that gateways and pickers emit."""
    tables = table(DATA, "series")
    return msgspec.convert(named(tables["series"], tables["sources"]), tuple[Series, ...])
