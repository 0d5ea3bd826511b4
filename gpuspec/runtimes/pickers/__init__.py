"""Facts about endpoint pickers: their configuration, and the metrics that they read."""

from gpuspec.runtimes.pickers.load import (
    DATA,
    engine_of,
    feature_gates,
    plugin_types,
    program_of,
    programs,
)
from gpuspec.runtimes.pickers.model import PickedEngine, PickerProgram

__all__ = [
    "DATA",
    "PickedEngine",
    "PickerProgram",
    "engine_of",
    "feature_gates",
    "plugin_types",
    "program_of",
    "programs",
]
