"""Load the table of trainers when a command line is checked."""

import os
from functools import cache

import msgspec

from gpuspec.manifests.tables import table
from gpuspec.runtimes.load import named
from gpuspec.runtimes.trainers.model import Trainers

DATA = os.path.join(os.path.dirname(__file__), "data")


@cache
def trainers() -> Trainers:
    """Return all trainers."""
    tables = table(DATA, "trainers")
    facts = {key: value for key, value in tables.items() if key != "sources"}
    return msgspec.convert(named(facts, tables["sources"]), Trainers)
