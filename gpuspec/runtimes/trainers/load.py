"""From the YAML table of trainers to its typed form: read when a command line is looked at."""

import os
from functools import cache

import msgspec

from gpuspec.manifests.tables import table
from gpuspec.runtimes.load import named
from gpuspec.runtimes.trainers.model import Trainers

DATA = os.path.join(os.path.dirname(__file__), "data")


@cache
def trainers() -> Trainers:
    """Return all of them."""
    told = table(DATA, "trainers")
    facts = {key: value for key, value in told.items() if key != "sources"}
    return msgspec.convert(named(facts, told["sources"]), Trainers)
