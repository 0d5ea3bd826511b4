"""Spot nodes, and workloads that lose work when one is reclaimed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec import hardware
from gpuspec.kinds import kubeflow
from gpuspec.lint.analysis.placement.placing import in_all, reached, requirement_path
from gpuspec.lint.model import RelatedPlace
from gpuspec.objects.launch import LAUNCHERS

if TYPE_CHECKING:
    from gpuspec.lint.context import Context
    from gpuspec.manifests import Path
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Pod

_WORDS = ("train", "finetune", "fine_tune", "fine-tune", "pretrain", "sft", "lora")
_STORES = (
    "s3://",
    "gs://",
    "az://",
    "abfs://",
    "abfss://",
    "hdfs://",
    "oss://",
    "r2://",
    "https://",
)


class SpotEvidence(msgspec.Struct, frozen=True):
    """Why a pod surely runs on spot nodes, and the length of their termination notice."""

    notice: int
    """Seconds."""
    path: Path | None
    """The path of the pod's selector for them; None if only the profile knows."""
    pools: str = ""
    """The pools of the profile that say so."""

    @property
    def reason(self) -> str:
        """The end of a note: what the profile says."""
        return (
            f": the eligible pools of the profile ({self.pools}) have spot nodes"
            if self.pools
            else ""
        )

    def related(self, pod: Pod) -> tuple[RelatedPlace, ...]:
        """Return the place of the selector."""
        if self.path is None:
            return ()
        return (RelatedPlace(pod.object.number, self.path, "the pod selects spot nodes"),)


def spot_of(pod: Pod, context: Context) -> SpotEvidence | None:
    """Return the evidence that a pod runs on spot nodes, by its selectors or by all pools that
    accept it."""
    pools = reached(pod, context) if context.cluster is not None else []
    if pools and all(pool.pool.capacity == "spot" for pool in pools):
        notice = min(pool.pool.notice.seconds for pool in pools)
        names = ", ".join(f"`{pool.pool.name}`" for pool in pools)
        return SpotEvidence(notice, None, names)
    if pools:
        return None
    for requirement in in_all(pod):
        value = hardware.SPOT_LABELS.get(requirement.key)
        if value is not None and requirement.operator == "In" and requirement.values == (value,):
            return SpotEvidence(_notice(requirement.key), requirement_path(pod, requirement))
    return None


def _notice(key: str) -> int:
    """Return the notice in seconds of a label's provider; the smallest of all for another label."""
    notices = {
        provider.spot.label[0].partition("/")[0]: provider.spot.notice
        for provider in hardware.providers().values()
        if provider.spot is not None and provider.spot.label is not None
    }
    return notices.get(key.partition("/")[0], min(notices.values()))


def trains(pod: Pod, container: PodContainer) -> bool:
    """Return whether a container of a finite pod trains a model."""
    if pod.life != "finite" or not container.gpus:
        return False
    owner = pod.object
    # Its operator tells the container the ranks, which only training asks for.
    if owner.group == kubeflow.GROUP and kubeflow.REPLICAS.get(owner.kind, ("", ""))[1]:
        return True
    if container.words.has(*LAUNCHERS) is not None:
        return True
    for word in container.words:
        name = word.text.rpartition("/")[2].lower()
        if not name.startswith("-") and any(part in name for part in _WORDS):
            return True
    return False


def uses_store(container: PodContainer) -> bool:
    """Return whether the pod names an object store, to which results may go."""
    values = [value for name in container.env if (value := container.env_value(name))]
    texts = [word.text for word in container.words] + values
    return any(store in text for text in texts for store in _STORES)
