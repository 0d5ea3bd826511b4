"""The GPU Operator: its settings as its ClusterPolicy says them, and drivers of pools.

Where its chart installs it, the chart writes the ClusterPolicy and knows the images of its release: we
give values for the chart. OLM, on OpenShift, hands the images to the operator itself, and leaves the
ClusterPolicy to whoever runs the cluster. Sources: NVIDIA/gpu-operator v26.7.0 internal/image/image.go,
deployments/gpu-operator/values.yaml, bundle/manifests.
"""

from collections.abc import Iterable
from typing import Any

from gpuspec.cluster.platform.devices import device_settings
from gpuspec.cluster.platform.exporter import exporter_settings
from gpuspec.cluster.platform.plugin_off import runs_nowhere
from gpuspec.plan.metadata import COMPONENT
from gpuspec.plan.tolerations import toleration
from gpuspec.spec import Pool, Profile
from gpuspec.spec.gpu_operator import DriverUpgrade
from gpuspec.spec.rules.gpu_operator import (
    OPERATOR,
    driven,
    early_labels,
    has_fallback,
    nvidia_pools,
)

Object = dict[str, Any]
PRESENT: Object = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
"""Tolerations of the operator's daemons in the chart's defaults."""
REGISTRY = "nvcr.io/nvidia"
POLICY = "gpu-cluster-policy"
_PREFIX = "gpuspec-"
_FALLBACK = "default"
_IMAGE = "driver"
# What a ClusterPolicy must have, though nothing be said of it.
_REQUIRED = (
    *("daemonsets", "dcgm", "dcgmExporter", "devicePlugin", "driver", "gfd"),
    *("nodeStatusExporter", "toolkit"),
)


def operator_objects(profile: Profile) -> tuple[list[Object], tuple[str, ...]]:
    """Return a ClusterPolicy if OLM installs the operator, the drivers of pools, and notes."""
    if profile.spec.gpu_operator is None:
        return [], ()
    objects = _drivers(profile)
    if uses_olm(profile):
        return [_cluster_policy(profile), *objects], ()
    note = "values of the GPU Operator's chart: gpuspec cluster render … --values"
    return objects, (note,) if settings(profile) else ()


def uses_olm(profile: Profile) -> bool:
    """Return whether OLM installs the operator, so that gpuspec writes its ClusterPolicy."""
    return profile.spec.provider == "openshift"


def no_chart(profile: Profile) -> str | None:
    """Return why values for the chart have no use; None if they have."""
    if OPERATOR not in profile.spec.installed:
        return f"profile {profile.name} does not say that {OPERATOR} is installed"
    if uses_olm(profile):
        return f"on OpenShift OLM installs {OPERATOR}: its ClusterPolicy is among the objects"
    return None


def operator_values(profile: Profile) -> Object:
    """Return values for the operator's chart, where they differ from the chart's defaults; empty if
    none do."""
    values = settings(profile)
    driver = values.get("driver")
    if driver is not None:
        if driver.pop("useNvidiaDriverCRD", False):
            driver["nvidiaDriverCRD"] = {"enabled": True, "deployDefaultCR": False}
        if (upgrade := driver.get("upgradePolicy")) is not None:
            upgrade["gpuPodDeletion"] = upgrade.pop("podDeletion")
    tolerated = values.get("daemonsets", {}).get("tolerations")
    if tolerated:
        # The chart brings Node Feature Discovery, without which a node is not known to have a GPU.
        control = {"key": "node-role.kubernetes.io/control-plane", "operator": "Equal", "value": ""}
        worker = {"tolerations": [{**control, "effect": "NoSchedule"}, *tolerated]}
        values["node-feature-discovery"] = {"worker": worker}
    return values


def settings(profile: Profile) -> Object:
    """Return the fields of a ClusterPolicy's spec that the profile decides."""
    gpu_operator = profile.spec.gpu_operator
    decided: Object = {}
    tolerated = _tolerated(nvidia_pools(profile.spec))
    if tolerated != [PRESENT]:
        decided["daemonsets"] = {"tolerations": tolerated}
    if gpu_operator is not None:
        decided["driver"] = _driver(profile)
        decided |= exporter_settings(profile)
    decided |= device_settings(profile)
    if runs_nowhere(profile):
        decided["devicePlugin"] = {"enabled": False}
    return decided


def _driver(profile: Profile) -> Object:
    gpu_operator = profile.spec.gpu_operator
    assert gpu_operator is not None
    if gpu_operator.driver.preinstalled:
        return {"enabled": False}
    pools = driven(profile.spec)
    obj: Object = {"useNvidiaDriverCRD": True} if pools else {}
    if gpu_operator.driver.version is not None and not pools:
        obj["version"] = gpu_operator.driver.version
    if not pools or not has_fallback(profile.spec):
        obj["upgradePolicy"] = _upgrade(gpu_operator.driver.upgrade)
    return obj


def _upgrade(upgrade: DriverUpgrade) -> Object:
    """Return the driver upgrade policy: pods with GPUs are evicted from the node first.

    Without `deleteEmptyDir`, a pod with a scratch volume, such as every rendered pod, makes the
    upgrade of its node fail.
    """
    obj: Object = {
        "autoUpgrade": True,
        "maxParallelUpgrades": upgrade.unavailable,
        "maxUnavailable": upgrade.unavailable,
    }
    if upgrade.wait is not None:
        kinds = ", ".join(sorted(COMPONENT[kind] for kind in COMPONENT if kind != "Inference"))
        obj["waitForCompletion"] = {
            "podSelector": f"app.kubernetes.io/component in ({kinds})",
            "timeoutSeconds": upgrade.wait.seconds,
        }
    return {**obj, "podDeletion": {"deleteEmptyDir": True}}


def _cluster_policy(profile: Profile) -> Object:
    """Return the ClusterPolicy for the operator that OLM installs; other fields keep the operator's
    defaults."""
    decided = settings(profile)
    if decided.get("mig", {}).get("strategy") == "":
        del decided["mig"]
    driver = decided["driver"]
    if "version" in driver:  # of an image the operator asks for all parts, or for none
        driver |= {"repository": REGISTRY, "image": _IMAGE}
    spec: Object = (
        {name: {} for name in _REQUIRED} | decided | {"operator": {"use_ocp_driver_toolkit": True}}
    )
    return {
        "apiVersion": "nvidia.com/v1",
        "kind": "ClusterPolicy",
        "metadata": {"name": POLICY},
        "spec": dict(sorted(spec.items())),
    }


def _drivers(profile: Profile) -> list[Object]:
    """Return an NVIDIADriver for each pool with a version of its own, and one for the nodes that
    none selects."""
    gpu_operator = profile.spec.gpu_operator
    assert gpu_operator is not None
    pools = driven(profile.spec)
    if not pools or gpu_operator.driver.preinstalled:
        return []
    general, fallback = gpu_operator.driver.version, has_fallback(profile.spec)
    objects = [
        _nvidia_driver(
            profile,
            pool.name,
            pool.driver or general,
            {"nodeSelector": early_labels(pool), "tolerations": _tolerated([pool])},
        )
        for pool in pools
    ]
    if fallback and general is not None:
        more = {"default": True, "tolerations": _tolerated(nvidia_pools(profile.spec))}
        objects.append(_nvidia_driver(profile, _FALLBACK, general, more))
    return objects


def _nvidia_driver(profile: Profile, name: str, version: str | None, more: Object) -> Object:
    gpu_operator = profile.spec.gpu_operator
    assert gpu_operator is not None
    spec: Object = {
        "driverType": "gpu",
        "repository": REGISTRY,
        "image": _IMAGE,
        "version": version,
        **more,
    }
    if has_fallback(profile.spec):
        spec["upgradePolicy"] = _upgrade(gpu_operator.driver.upgrade)
    return {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "NVIDIADriver",
        "metadata": {"name": _PREFIX + name},
        "spec": spec,
    }


def _tolerated(pools: Iterable[Pool]) -> list[Object]:
    """Return tolerations of the operator's daemons for the pools' nodes, on top of the chart's
    defaults."""
    objects = [PRESENT]
    for pool in pools:
        for taint in pool.taints:
            if (tolerated := toleration(pool, taint)) not in objects:
                objects.append(tolerated)
    return objects
