"""From the YAML table of pickers to its typed form: read when a profile has one."""

import os
from functools import cache

import msgspec

from gpuspec.manifests.tables import table
from gpuspec.runtimes.load import named
from gpuspec.runtimes.pickers.model import PickedEngine, PickerProgram, Pickers
from gpuspec.runtimes.recognise import is_image

DATA = os.path.join(os.path.dirname(__file__), "data")


def program_of(image: str) -> PickerProgram | None:
    """Return the picker that an image carries, of those that are known."""
    return next((program for program in programs() if is_image(image, program.images)), None)


def programs() -> tuple[PickerProgram, ...]:
    """Return the pickers that are known."""
    return _pickers().programs


def engine_of(runtime: str) -> PickedEngine | None:
    """Return what pickers know of a runtime; None where they know none of its metrics."""
    return _pickers().engines.get(runtime)


@cache
def _pickers() -> Pickers:
    told = table(DATA, "pickers")
    facts = {key: value for key, value in told.items() if key != "sources"}
    return msgspec.convert(named(facts, told["sources"]), Pickers)
