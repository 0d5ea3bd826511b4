"""Knative Serving. Sources: its API reference; the annotations of its autoscaler; for pod fields
that need a feature flag, pkg/apis/serving/fieldmask.go and config/features.go (98e5ef9)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.kinds.model import Kind, PodChanges, Rolls, Withheld
from gpuspec.kinds.scale import Scale
from gpuspec.manifests.values import at, mapping
from gpuspec.numbers import INT32, read_whole

if TYPE_CHECKING:
    from gpuspec.manifests import Path

GROUP = "serving.knative.dev"
_SCALING = "autoscaling.knative.dev/"
WITHHELD = Withheld(
    frozenset(
        {
            "activeDeadlineSeconds",
            "affinity",
            "dnsConfig",
            "dnsPolicy",
            "hostAliases",
            "hostIPC",
            "hostNetwork",
            "hostPID",
            "initContainers",
            "nodeName",
            "nodeSelector",
            "priorityClassName",
            "restartPolicy",
            "runtimeClassName",
            "schedulerName",
            "securityContext",
            "shareProcessNamespace",
            "terminationGracePeriodSeconds",
            "tolerations",
            "topologySpreadConstraints",
        }
    ),
    frozenset({"lifecycle"}),
)
_ROLLS = Rolls("restart", "starts a new revision's pods")


def withheld(_: dict[str, Any]) -> Withheld:
    """Return the fields that a Service, Configuration or Revision may not have with Knative's
    default features."""
    return WITHHELD


def _own_groups(value: dict[str, Any], inside: Path) -> Scale:
    annotations = mapping(at(value, (*inside[:-1], "metadata", "annotations")))
    least, most = (_number(annotations, name) for name in ("min-scale", "max-scale"))
    # Its own way of writing no bound is 0.
    return Scale(least or 0, most or None, "Knative")


def _number(annotations: dict[str, Any], name: str) -> int | None:
    """Return the number in an annotation, which has one of two spellings."""
    camel_case = name.replace("-scale", "Scale")
    value = annotations.get(_SCALING + name, annotations.get(_SCALING + camel_case))
    return read_whole(value, INT32)


# Its webhook compares mounts with volumes: pkg/apis/serving/k8s_validation.go.
_CHANGES = PodChanges()

KINDS = (
    Kind(
        GROUP,
        "Service",
        "workload",
        templates=("spec.template",),
        changes=_CHANGES,
        life="service",
        own_groups=_own_groups,
        withheld=withheld,
        pod_label="serving.knative.dev/service",
        rolls=_ROLLS,
    ),
    Kind(
        GROUP,
        "Configuration",
        "workload",
        templates=("spec.template",),
        changes=_CHANGES,
        life="service",
        own_groups=_own_groups,
        withheld=withheld,
        rolls=_ROLLS,
    ),
    Kind(
        GROUP,
        "Revision",
        "workload",
        templates=("",),
        changes=_CHANGES,
        life="service",
        own_groups=_own_groups,
        withheld=withheld,
    ),
)
