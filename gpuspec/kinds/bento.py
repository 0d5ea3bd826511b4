"""BentoML's Yatai: an API server and its runners. Sources: apis/serving/v2alpha1 of
bentoml/yatai-deployment; controllers/bentodeployment_controller.go, which copies the scheduling fields
of `extraPodSpec` and adds its containers to the one that it makes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds.model import Kind, PodGroupKind
from gpuspec.kinds.scale import Scale, between, number
from gpuspec.manifests.values import at, mapping, text

if TYPE_CHECKING:
    from gpuspec.manifests import Path


def _part(value: dict[str, Any], inside: Path) -> PodGroupKind:
    holder = mapping(at(value, inside[:-1]))
    role = text(holder.get("name")) if "runners" in inside else "api-server"
    return PodGroupKind(role or "runner", groups=_least(holder))


def _least(holder: dict[str, Any]) -> int:
    return number(mapping(holder.get("autoscaling")).get("minReplicas"), 1)


def _own_pods(value: dict[str, Any], inside: Path) -> Scale | None:
    holder = mapping(at(value, inside[:-1]))
    most = mapping(holder.get("autoscaling")).get("maxReplicas")
    return None if most is None else between(_least(holder), most, "autoscaling")


KINDS = (
    Kind(
        "serving.yatai.ai",
        "BentoDeployment",
        "workload",
        specs=("spec.extraPodSpec", "spec.runners.*.extraPodSpec"),
        life="service",
        part=_part,
        completed=True,
        plainly=lambda value: True,
        image_filled=True,
        own_devices=True,
        own_pods=_own_pods,
    ),
)
