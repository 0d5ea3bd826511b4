"""Kubernetes' `batch` (1.37). Sources: `pkg/apis/batch/validation`; the Job and CronJob controllers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds.model import (
    DerivedName,
    ImmutableFields,
    Kind,
    Naming,
    PodGroupKind,
    Queueing,
    Rolls,
)
from gpuspec.kinds.owned import KUEUE, PARTIAL, ControllerField
from gpuspec.kinds.references import device_claims
from gpuspec.kinds.scale import Scale, bounded, number
from gpuspec.manifests.values import at, mapping, whole

if TYPE_CHECKING:
    from gpuspec.manifests import Path

LABEL = 63
"""The longest label value, and the longest DNS label, in characters."""
_POD = "spec.template.spec"
QUEUED = (
    "spec.template.metadata.labels",
    "spec.template.metadata.annotations",
    f"{_POD}.nodeSelector",
    f"{_POD}.tolerations",
    f"{_POD}.schedulingGates",
)
"""Fields of a suspended Job that Kueue sets, and that can change while the Job is suspended."""


_FEWER: tuple[Path, ...] = (("metadata", "annotations", PARTIAL),)
_COMPLETES_FEWER: Path = (
    "metadata",
    "annotations",
    "kueue.x-k8s.io/job-completions-equal-parallelism",
)


def part(value: dict[str, Any], inside: Path) -> PodGroupKind:
    """Return the pod group of a Job. Shards are independent; workers with stable names form a gang."""
    spec = mapping(at(value, inside[:-2]))
    parallelism = whole(spec.get("parallelism"), 1)
    meets = spec.get("completionMode") == "Indexed" and mapping(at(value, inside)).get("subdomain")
    return PodGroupKind("pod", parallelism, 1, bool(meets and (parallelism or 0) > 1))


def own_pods(value: dict[str, Any], inside: Path) -> Scale | None:
    """Return the number of pods at once, at most the number of completions."""
    spec = mapping(at(value, inside[:-2]))
    parallelism = whole(spec.get("parallelism"), 1)
    if parallelism is None:
        return None
    count = bounded(min(parallelism, number(spec.get("completions"), parallelism)))
    return Scale(count, count)


def last(count: object) -> int:
    """Return the index of the last item, counted from 0; 0 if the number is unknown."""
    return max(count - 1, 0) if isinstance(count, int) and not isinstance(count, bool) else 0


def _made(value: dict[str, Any], name: str) -> list[DerivedName]:
    derived_names = [DerivedName("the label `batch.kubernetes.io/job-name` of its pods", name)]
    spec = mapping(value.get("spec"))
    if spec.get("completionMode") == "Indexed" and len(name) <= LABEL:
        host = f"{name}-{last(spec.get('completions'))}"
        derived_names.append(DerivedName("the host name of its last pod", host))
    return derived_names


KINDS = (
    Kind(
        "batch",
        "Job",
        "workload",
        templates=("spec.template",),
        life="finite",
        part=part,
        own_pods=own_pods,
        runs_once=True,
        queueing=Queueing(),
        # Its partial admission: KEP 420.
        sets=(
            ControllerField("spec.parallelism", KUEUE, _FEWER),
            ControllerField(
                "spec.completions",
                KUEUE,
                (*_FEWER, _COMPLETES_FEWER),
            ),
        ),
        naming=Naming(made=_made),
        jobs=("spec",),
        refers=device_claims("spec.scheduling.resourceClaims.*"),
        whole_run=True,
        ttl=("spec", "ttlSecondsAfterFinished"),
        kept=ImmutableFields(
            (
                *("spec.template", "spec.selector", "spec.completions", "spec.completionMode"),
                *("spec.podFailurePolicy", "spec.backoffLimitPerIndex", "spec.successPolicy"),
                "spec.managedBy",
            ),
            suspended=(*QUEUED, f"{_POD}.affinity", f"{_POD}.containers.*.resources"),
            way="give the Job a new name, or delete it first",
        ),
        filled=(("spec.completionMode", "NonIndexed"),),
    ),
    Kind(
        "batch",
        "CronJob",
        "workload",
        templates=("spec.jobTemplate.spec.template",),
        life="finite",
        part=part,
        own_pods=own_pods,
        jobs=("spec.jobTemplate.spec",),
        refers=device_claims("spec.jobTemplate.spec.scheduling.resourceClaims.*"),
        labels=("spec", "jobTemplate", "metadata", "labels"),
        # Of the Jobs that it makes; its own template stays as it is.
        queueing=Queueing(()),
        naming=Naming(longest=LABEL - 11, why="a CronJob's name has at most {longest}"),
        rolls=Rolls("next run", "applies from the next run", also=("spec.jobTemplate",)),
    ),
)
