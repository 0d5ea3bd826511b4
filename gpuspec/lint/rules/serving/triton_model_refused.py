"""Triton's configuration of a model, in a ConfigMap, that Triton rejects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpuspec.lint.analysis.serving.triton_models import is_model, model_faults
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import mapping

if TYPE_CHECKING:
    from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU978",
    "triton-model-refused",
    "error",
    "Triton rejects the configuration of a model",
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield the faults of texts under `config.pbtxt`."""
    for key, text in mapping(obj.value.get("data")).items():
        if not is_model(str(key), text):
            continue
        for fault in model_faults(text):
            yield RawFinding(
                obj.path("data", key),
                f"{fault.message}: Triton does not load the model",
                note=fault.note,
                severity=fault.severity,
            )
