"""From the YAML tables to their typed form: read when a route is met, or a server may have no replica."""

import os
from functools import cache

import msgspec

from gpuspec.manifests.tables import table
from gpuspec.runtimes.gateways.model import Series, TimeoutLimit, TimeoutLimits
from gpuspec.runtimes.load import named

DATA = os.path.join(os.path.dirname(__file__), "data")


@cache
def limits() -> TimeoutLimits:
    """Return all of them."""
    told = table(DATA, "limits")
    facts = {key: value for key, value in told.items() if key != "sources"}
    return msgspec.convert(named(facts, told["sources"]), TimeoutLimits)


def limit_of(name: str) -> TimeoutLimit:
    """Return the limit of an implementation, as profiles call it."""
    timeout_limits = limits()
    own = [route.limit for route in timeout_limits.routes if route.limit is not None]
    return next(gateway for gateway in (*timeout_limits.gateways, *own) if gateway.name == name)


@cache
def series() -> tuple[Series, ...]:
    """Return what gateways and pickers count."""
    told = table(DATA, "series")
    return msgspec.convert(named(told["series"], told["sources"]), tuple[Series, ...])
