"""Fields of a pod that Knative accepts only with a feature that is known to be off.

Source: knative/serving v0.50.0, pkg/apis/config/features.go, pkg/apis/serving/fieldmask.go (that of
98e5ef9 too) and k8s_validation.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gpuspec.lint.analysis.serving.progress import on_knative
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod
from gpuspec.spec.knative import FEATURES

RULE = Rule(
    "GPU850",
    "feature-off",
    "warning",
    "Knative rejects a pod field whose feature flag is off",
)
_CONFIG = "config-features", "knative-serving"
_ON = ("enabled", "allowed")
_PREFIX = "kubernetes.podspec-"
FIELDS = {
    "initContainers": f"{_PREFIX}init-containers",
    **{
        field: _PREFIX + field.lower()
        for field in (
            *("affinity", "dnsConfig", "dnsPolicy", "hostAliases", "hostIPC", "hostNetwork"),
            *("hostPID", "nodeSelector", "priorityClassName", "runtimeClassName"),
            *("schedulerName", "securityContext", "shareProcessNamespace", "tolerations"),
            "topologySpreadConstraints",
        )
    },
}
VOLUMES = {
    "persistentVolumeClaim": f"{_PREFIX}persistent-volume-claim",
    **{
        kind: f"{_PREFIX}volumes-{kind.lower()}"
        for kind in ("csi", "ephemeral", "hostPath", "image")
    },
}
_WRITE = f"{_PREFIX}persistent-volume-write"
_FIELD_REF = f"{_PREFIX}fieldref"
_CAPABILITIES = "kubernetes.containerspec-addcapabilities"
# Alone it may be added without the feature, where containers are made secure.
_BIND = ["NET_BIND_SERVICE"]
# With these Knative takes part of the context without its own feature.
_SECURE = "secure-pod-defaults"


class _FeaturesOff(NamedTuple):
    """The disabled features, and their source."""

    off: frozenset[str]
    words: str


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield revisions of Knative's, and what KServe makes of them, where somebody tells of the
    features."""
    if not on_knative(pod) or (features_off := _known(context)) is None:
        return
    uses_off = [field_use for field_use in _taken(pod) if field_use[2] in features_off.off]
    if not uses_off:
        return
    path, *_ = uses_off[0]
    words = ", ".join(dict.fromkeys(f"`{field}` ({feature})" for _, field, feature in uses_off))
    yield RawFinding(
        path,
        f"{words} needs a Knative feature that {features_off.words} does not enable: Knative's "
        "webhook rejects the revision, and no pod is created",
        note="enable the feature in ConfigMap `config-features`",
    )


def _known(context: Context) -> _FeaturesOff | None:
    """Return the features by Knative's own ConfigMap if it is among the objects, else by a
    profile that lists some."""
    every = {*FIELDS.values(), *VOLUMES.values(), _WRITE, _FIELD_REF, _CAPABILITIES}
    config = context.collection.named("", "ConfigMap", *_CONFIG)
    if config is not None:
        data = {
            key: text(value).lower() for key, value in mapping(config.value.get("data")).items()
        }
        off = {feature for feature in every if data.get(feature) not in _ON}
        if data.get(_SECURE, "disabled") != "disabled":
            off.discard(FIELDS["securityContext"])
        return _FeaturesOff(frozenset(off), f"ConfigMap `{_CONFIG[0]}`")
    listed = context.cluster.knative.features if context.cluster is not None else ()
    return _FeaturesOff(frozenset({*FEATURES} - {*listed}), "the profile") if listed else None


def _taken(pod: Pod) -> Iterator[tuple[Path, str, str]]:
    """Yield the fields of a pod that need a feature: path, name, and feature."""
    for field, feature in FIELDS.items():
        if pod.spec.get(field):
            yield pod.path(field), field, feature
    for index, volume in pod.volumes.values():
        for kind, feature in VOLUMES.items():
            if kind in volume:
                yield pod.path("volumes", index, kind), kind, feature
        claim = mapping(volume.get("persistentVolumeClaim"))
        if claim and claim.get("readOnly") is not True:
            yield pod.path("volumes", index), "persistentVolumeClaim to write", _WRITE
    for container in pod.every:
        yield from _of_container(container)


def _of_container(container: PodContainer) -> Iterator[tuple[Path, str, str]]:
    """Yield the same of a container."""
    for index, entry in container.env.values():
        for field in {"fieldRef", "resourceFieldRef"} & mapping(entry.get("valueFrom")).keys():
            yield container.path("env", index, "valueFrom", field), field, _FIELD_REF
    added = items(at(container.value, ("securityContext", "capabilities", "add")))
    if added and added != _BIND:
        path = container.path("securityContext", "capabilities", "add")
        yield path, "capabilities.add", _CAPABILITIES
