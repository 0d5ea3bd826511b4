"""Seldon Core: SeldonDeployments of version 1, Servers of version 2. Sources: operator/apis of
SeldonIO/seldon-core; seldondeployment_controller.go (1.19), for the number of pods;
reconcilers/common/patch_utils.go (2.10), which merges a Server's pod into that of its ServerConfig."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds.model import Kind, PodGroupKind, Reference
from gpuspec.kinds.owned import REPLICAS
from gpuspec.manifests.values import at, mapping, text, whole

if TYPE_CHECKING:
    from gpuspec.manifests import Path

_V1 = "machinelearning.seldon.io"
_V2 = "mlops.seldon.io"


def _component(value: dict[str, Any], inside: Path) -> PodGroupKind:
    """Return the pods of a component: its own number, the predictor's or the deployment's."""
    predictor = mapping(at(value, inside[:3]))
    holders = (mapping(at(value, inside[:5])), predictor, mapping(value.get("spec")))
    replicas = next((holder["replicas"] for holder in holders if "replicas" in holder), None)
    return PodGroupKind(text(predictor.get("name")) or "predictor", groups=whole(replicas, 1))


KINDS = (
    Kind(
        _V1,
        "SeldonDeployment",
        "workload",
        templates=("spec.predictors.*.componentSpecs.*",),
        life="service",
        part=_component,
        # Its webhook adds the prepackaged servers, and its operator the orchestrator.
        completed=True,
        plainly=lambda value: True,
        image_filled=True,
        scaled=REPLICAS,
    ),
    Kind(
        _V2,
        "ServerConfig",
        "runtime",
        specs=("spec.podSpec",),
        life="service",
        template=True,
        completed=True,
    ),
    Kind(
        _V2,
        "Server",
        "workload",
        specs=("spec.podSpec",),
        life="service",
        completed=True,
        image_filled=True,
        scaled=REPLICAS,
        refers=(Reference("spec", "serverConfig", _V2, "ServerConfig"),),
    ),
)
