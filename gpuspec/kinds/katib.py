"""Katib: experiments, whose trials are objects of other kinds. Sources: pkg/apis/controller of
kubeflow/katib (0.19), types and defaults; experiment/manifest/generator.go, which names a trial's
object and gives it the experiment's namespace."""

from __future__ import annotations

from typing import Any

from gpuspec.kinds.model import Kind
from gpuspec.manifests.values import mapping, whole

_PARALLEL = 3
"""The trials at once of an experiment that states no number."""


def _trials(value: dict[str, Any]) -> int | None:
    """Return the trials of an experiment that run at once, at most all of them."""
    spec = mapping(value.get("spec"))
    most = whole(spec.get("maxTrialCount"), _PARALLEL) if "maxTrialCount" in spec else None
    parallel = whole(spec.get("parallelTrialCount"), _PARALLEL)
    return parallel if most is None or parallel is None else min(parallel, most)


EXPERIMENT = Kind(
    "kubeflow.org",
    "Experiment",
    "workload",
    objects=("spec.trialTemplate.trialSpec",),
    copies=_trials,
    names_objects=True,
    parameters="spec.trialTemplate.trialParameters.*",
    life="finite",
    runs_once=True,
)
