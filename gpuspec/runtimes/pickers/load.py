"""Load the table of endpoint pickers when a profile has one."""

import os
from functools import cache

import msgspec

from gpuspec.manifests.tables import table
from gpuspec.runtimes.load import named
from gpuspec.runtimes.pickers.model import PickedEngine, PickerProgram, Pickers
from gpuspec.runtimes.recognise import is_image

DATA = os.path.join(os.path.dirname(__file__), "data")


def program_of(image: str) -> PickerProgram | None:
    """Return the endpoint picker of an image, if it is known."""
    return next((program for program in programs() if is_image(image, program.images)), None)


def programs() -> tuple[PickerProgram, ...]:
    """Return the known endpoint pickers."""
    return _pickers().programs


def engine_of(runtime: str) -> PickedEngine | None:
    """Return the model server that pickers support for a runtime; None if they know none of its
    metrics."""
    return _pickers().engines.get(runtime)


def plugin_types() -> tuple[str, ...]:
    """Return the types of plugins that some release of a picker has."""
    return tuple(_pickers().plugins.split())


def feature_gates() -> tuple[str, ...]:
    """Return the feature gates that some release of a picker has."""
    return tuple(_pickers().gates.split())


@cache
def _pickers() -> Pickers:
    tables = table(DATA, "pickers")
    facts = {key: value for key, value in tables.items() if key != "sources"}
    return msgspec.convert(named(facts, tables["sources"]), Pickers)
