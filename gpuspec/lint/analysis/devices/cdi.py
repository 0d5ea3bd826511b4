"""Whether a container's own variables choose its GPUs, or the container engine gives what was chosen.

Source: NVIDIA GPU Operator 25.10.0, controllers/object_controls.go (`transformToolkitCtrForCDI`) and its
chart's values: with CDI, which is on since that release, NVIDIA's runtime is no longer the default one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.lint.analysis.reading.releases import installed_version
from gpuspec.manifests.values import at, items, mapping, text
from gpuspec.settings.versions import allows

if TYPE_CHECKING:
    from gpuspec.lint.context import Context
    from gpuspec.objects.objects import Object, Pod

_SINCE = ">=25.10"
_DEFAULT = "NVIDIA_RUNTIME_SET_AS_DEFAULT"


def passes_variables_over(pod: Pod, context: Context) -> bool:
    """Return whether nothing reads `NVIDIA_VISIBLE_DEVICES` of a pod, because the engine's own
    runtime runs it and CDI injects its GPUs. Only if the profile or a ClusterPolicy states it."""
    if pod.spec.get("runtimeClassName"):
        return False
    policies = context.collection.of("nvidia.com", "ClusterPolicy")
    if policies:
        return all(_by_cdi(policy) for policy in policies)
    version = installed_version("gpu-operator", context)
    return version is not None and allows(_SINCE, version)


def _by_cdi(policy: Object) -> bool:
    """Return whether a policy enables CDI; without the field it depends on the release."""
    env_entries = map(mapping, items(at(policy.spec, ("toolkit", "env"))))
    if any(text(env_entry.get("name")) == _DEFAULT for env_entry in env_entries):
        return False
    return at(policy.spec, ("cdi", "enabled")) is True
