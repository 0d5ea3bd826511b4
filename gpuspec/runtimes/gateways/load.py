"""From the YAML table of limits to its typed form: read when a route is met."""

import os
from functools import cache

import msgspec

from gpuspec.manifests.tables import table
from gpuspec.runtimes.gateways.model import Limits
from gpuspec.runtimes.load import named

DATA = os.path.join(os.path.dirname(__file__), "data")  # noqa: PTH118, PTH120


@cache
def limits() -> Limits:
    """All of them."""
    told = table(DATA, "limits")
    facts = {key: value for key, value in told.items() if key != "sources"}
    return msgspec.convert(named(facts, told["sources"]), Limits)
