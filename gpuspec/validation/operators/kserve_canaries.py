"""Canaries of KServe: predictors of a new model that receive a share of the requests.

Source: github.com/kserve/kserve v0.20.0, `validateCanarySpecs` of
pkg/apis/serving/v1beta1/inference_service_validation.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.validation.apiserver.reading import inner, maps, number, refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.manifests import Path
    from gpuspec.validation.apiserver.reading import Map
    from gpuspec.validation.violation import SchemaViolation

_CANARIES: Path = ("spec", "canary")
_MODE = "serving.kserve.io/deploymentMode"
_STANDARD = ("Standard", "RawDeployment")
_SCALED = ("scaleTarget", "scaleMetric", "autoScaling")
_ALL = 100


def canaries(value: Map, version: str) -> Iterator[SchemaViolation]:
    """Check that each canary has a unique name, a fixed number of pods, and a valid share of the
    requests.
    """
    canary_rows = list(maps(inner(value, "spec"), "canary"))
    if not canary_rows:
        return
    mode = inner(value, "metadata", "annotations").get(_MODE)
    if mode and mode not in _STANDARD:
        yield refused(_CANARIES, f"it needs the annotation `{_MODE}: Standard`, not `{mode}`")
    stable = inner(value, "spec", "predictor")
    names_seen, share = {stable.get("name") or ""}, 0
    for index, canary in canary_rows:
        path, predictor = (*_CANARIES, index, "predictor"), inner(canary, "predictor")
        name, part = predictor.get("name") or "", number(canary, "trafficPercent", 0)
        if not name:
            yield refused((*path, "name"), "it is missing, but it names the canary's pods")
        elif name in names_seen:
            yield refused((*path, "name"), f"another predictor has the name `{name}` too")
        names_seen.add(name)
        if not 0 <= part <= _ALL:
            yield refused(
                (*_CANARIES, index, "trafficPercent"), f"expected 0 to {_ALL}, not {part}"
            )
        share += part
        yield from _fixed(predictor, path, number(stable, "minReplicas", 1))
    if share > _ALL:
        yield refused(_CANARIES, f"the canaries take {share} % of the requests, more than {_ALL} %")


def _fixed(predictor: Map, path: Path, stable: int) -> Iterator[SchemaViolation]:
    """Check that a canary has no workers, no scaler, and no more pods than the stable predictor."""
    if predictor.get("workerSpec") is not None:
        yield refused((*path, "workerSpec"), "a canary cannot have workers")
    if number(predictor, "maxReplicas", 0) > 0:
        yield refused((*path, "maxReplicas"), "a canary has a fixed number of pods")
    for field in _SCALED:
        if predictor.get(field) is not None:
            yield refused((*path, field), "a canary has a fixed number of pods")
    least_replicas = number(predictor, "minReplicas", 0)
    if least_replicas > stable:
        yield refused(
            (*path, "minReplicas"),
            f"expected at most {stable}, as many as the stable predictor has, not {least_replicas}",
        )
