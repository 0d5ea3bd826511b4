"""A pod without the RuntimeClass that the nodes' GPU pods need, or with one that nothing creates."""

from collections.abc import Iterator
from functools import partial

from gpuspec.charts.release import Release
from gpuspec.lint.analysis.placement.placing import names, reached, wanted_devices
from gpuspec.lint.analysis.reading.releases import all_releases, is_there
from gpuspec.lint.context import Context
from gpuspec.lint.model import Drop, Fix, Put, RawFinding, RelatedPlace, Rule
from gpuspec.manifests import Path
from gpuspec.manifests.values import at, text
from gpuspec.objects.collection import Collection
from gpuspec.objects.objects import Object, Pod
from gpuspec.objects.scheduling import is_whole

_PLUGIN, _CLASS = "nvidia-device-plugin", "runtimeClassName"
_BY_CDI = (
    "gpu-operator",
    "nvidia.com/ClusterPolicy",
    "dra-driver-nvidia-gpu",
    "nvidia-dra-driver-gpu",
)
"""Components that may provide the driver to containers without a RuntimeClass."""

RULE = Rule(
    "GPU211",
    "no-runtime-class",
    "error",
    "A GPU pod lacks the RuntimeClass that its nodes require, or names one that nothing creates",
    fix="safe",
)


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield pods without a RuntimeClass although every possible pool names one, or, without a
    profile, the device plugin in the set has one."""
    if not wanted_devices(pod):
        return
    if runtime_class := text(pod.spec.get(_CLASS)):
        yield from _not_created(pod, runtime_class, context)
        return
    if not is_whole(pod):
        return
    if context.cluster is None:
        yield from _without_profile(pod, context.collection)
        return
    pools = reached(pod, context)
    needed = {pool.pool.runtime_class for pool in pools}
    if not pools or None in needed:
        return
    first = str(pools[0].pool.runtime_class)
    yield RawFinding(
        pod.path("runtimeClassName"),
        "`runtimeClassName` is missing, but GPU pods on "
        f"{names([pool.pool.name for pool in pools])} need `{first}`: the container gets a device "
        "without the driver",
        fix=Fix(
            f"set `runtimeClassName` to `{first}`",
            (Put(pod.path("runtimeClassName"), first),),
            len(needed) == 1,
        ),
    )


def _without_profile(pod: Pod, collection: Collection) -> Iterator[RawFinding]:
    """Yield a pod without the class that the device plugin itself needs to see the driver."""
    devices = [device.name for container in pod.gpu_containers for device in container.devices]
    plugin = collection.once(_plugin)
    if plugin is None or not devices or not all(name.startswith("nvidia.com/") for name in devices):
        return
    obj, release = plugin
    runtime_class, path = release.values[_CLASS], pod.path(_CLASS)
    yield RawFinding(
        path,
        f"`runtimeClassName` is missing, but the set's device plugin runs with `{runtime_class}`: "
        "the nodes' default runtime gives the container a device without the driver",
        note=(
            f"set `runtimeClassName: {runtime_class}`, unless `nvidia` is the default runtime of "
            "the nodes"
        ),
        severity="warning",
        confidence="likely",
        fix=Fix(f"set `runtimeClassName` to `{runtime_class}`", (Put(path, runtime_class),), False),
        related=(RelatedPlace(obj.number, release.place(_CLASS)[0], "the plugin's class"),),
        unless=None if obj.file == pod.object.file else partial(_is_custom, runtime_class),
    )


def _not_created(pod: Pod, runtime_class: str, context: Context) -> Iterator[RawFinding]:
    """Yield a class that the GPU Operator of the set creates only without its NRI plugin.

    Source: NVIDIA/gpu-operator v26.3.0 controllers/state_manager.go (`pre-requisites`),
    object_controls.go (`clearRuntimeClasses`). K3s and RKE2 create the classes themselves.
    """
    collection = context.collection
    if (
        runtime_class not in _OF_OPERATOR
        or context.cluster is not None
        or collection.named("node.k8s.io", "RuntimeClass", runtime_class) is not None
        or any(group == "helm.cattle.io" for group, _ in collection.kinds)
    ):
        return
    setting = collection.once(_nri_plugin)
    if setting is None:
        return
    obj, place = setting
    path = pod.path(_CLASS)
    yield RawFinding(
        path,
        f"no RuntimeClass `{runtime_class}` exists: the GPU Operator creates none with its NRI "
        "plugin, and the API server rejects the pods",
        note=f"remove `{_CLASS}`: the plugin gives containers their GPUs without a class",
        severity="warning",
        confidence="likely",
        fix=Fix(f"remove `{_CLASS}`", (Drop(path),), False),
        related=(RelatedPlace(obj.number, place, "the plugin"),),
    )


def _nri_plugin(collection: Collection) -> tuple[Object, Path] | None:
    """Return the setting with which the operator of a set creates no class; None without one."""
    for obj, release in all_releases(collection):
        if release.chart == "gpu-operator" and at(release.values, _NRI) is True:
            return obj, release.place(*_NRI)[0]
    for policy in collection.of("nvidia.com", "ClusterPolicy"):
        if at(policy.spec, _NRI) is True:
            return policy, policy.path("spec", *_NRI)
    return None


_OF_OPERATOR = ("nvidia", "nvidia-cdi", "nvidia-legacy")
_NRI = ("cdi", "nriPluginEnabled")


def _is_custom(runtime_class: str, collection: Collection) -> bool:
    """Return whether most GPU pods of a set have no RuntimeClass, because the set may be for
    several clusters."""
    classes = [
        facts.runtime_class
        for facts in collection.pods
        if any(name.startswith("nvidia.com/") for name in facts.devices)
    ]
    return 2 * classes.count(runtime_class) < len(classes)


def _plugin(collection: Collection) -> tuple[Object, Release] | None:
    """Return the release of the device plugin with a class, unless one without it or CDI is in the
    set: another cluster's, or a way to the driver that needs no class."""
    plugins = [
        (obj, release) for obj, release in all_releases(collection) if release.chart == _PLUGIN
    ]
    if any(is_there(product, collection) for product in _BY_CDI) or any(
        not text(release.values.get(_CLASS)) or "cdi-" in str(release.values)
        for _, release in plugins
    ):
        return None
    return plugins[0] if plugins else None
