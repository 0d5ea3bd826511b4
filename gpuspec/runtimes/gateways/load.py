"""From the YAML table of limits to its typed form: read when a route is met."""

import os
from functools import cache

import msgspec

from gpuspec.manifests.tables import table
from gpuspec.runtimes.gateways.model import Limit, Limits
from gpuspec.runtimes.load import named

DATA = os.path.join(os.path.dirname(__file__), "data")  # noqa: PTH118, PTH120


@cache
def limits() -> Limits:
    """All of them."""
    told = table(DATA, "limits")
    facts = {key: value for key, value in told.items() if key != "sources"}
    return msgspec.convert(named(facts, told["sources"]), Limits)


def limit_of(name: str) -> Limit:
    """The limit of an implementation, as profiles call it."""
    told = limits()
    own = [route.limit for route in told.routes if route.limit is not None]
    return next(one for one in (*told.gateways, *own) if one.name == name)
