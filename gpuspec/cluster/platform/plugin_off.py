"""Keep device plugins off nodes whose GPUs a DRA driver allocates; otherwise a GPU is allocated
twice.

The GPU Operator runs NVIDIA's plugin on every node with GPUs, unless a label excludes the node; it
does not change this label. Source: NVIDIA/gpu-operator controllers/state_manager.go at 04751ec7
(addGPUStateLabels).
"""

from collections.abc import Collection, Iterator

from gpuspec import hardware
from gpuspec.spec import Pool, Profile, model_of
from gpuspec.spec.rules.gpu_operator import OPERATOR, nvidia_pools

LABEL = "nvidia.com/gpu.deploy.device-plugin"


def runs_nowhere(profile: Profile) -> bool:
    """Return whether the GPU Operator is configured to run no plugin at all, since no pool needs
    it."""
    pools = nvidia_pools(profile.spec)
    return bool(pools) and all(pool.gpu.dra is not None for pool in pools)


def kept_off(profile: Profile) -> dict[str, dict[str, str]]:
    """Return the label of each pool's nodes that excludes the operator's plugin."""
    if OPERATOR not in profile.spec.installed or runs_nowhere(profile):
        return {}
    return {pool.name: {LABEL: "false"} for pool in _claimed(profile)}


def plugin_notes(profile: Profile, labelled: Collection[str]) -> tuple[str, ...]:
    """Return the steps for a user where no object excludes the plugin. `labelled`: pools whose
    nodes get their labels."""
    return (*_nvidia(profile, labelled), *_others(profile))


def _nvidia(profile: Profile, labelled: Collection[str]) -> Iterator[str]:
    pools = _claimed(profile)
    if not pools:
        return
    if OPERATOR not in profile.spec.installed:
        yield _by_hand("gpu.nvidia.com", pools)
    elif runs_nowhere(profile):
        if profile.spec.gpu_operator is None:
            yield "Helm values of the GPU Operator: devicePlugin.enabled=false"
    elif unlabelled := [
        pool for pool in pools if pool.name not in labelled and pool.labels.get(LABEL) != "false"
    ]:
        yield (
            f"label the nodes of {_named(unlabelled)}: {LABEL}=false; otherwise the device plugin gives their "
            "GPUs out a second time"
        )


def _others(profile: Profile) -> Iterator[str]:
    by_driver: dict[str, list[Pool]] = {}
    ours = _claimed(profile)
    for pool in profile.spec.pools:
        driver = hardware.claim_driver(model_of(pool).vendor)
        if pool.gpu.dra is not None and pool not in ours and driver is not None:
            by_driver.setdefault(driver.driver, []).append(pool)
    for name, pools in by_driver.items():
        yield _by_hand(name, pools)


def _by_hand(driver: str, pools: list[Pool]) -> str:
    return (
        f"DRA driver {driver} hands out the GPUs of {_named(pools)}: keep the device plugin off these "
        "nodes, or a GPU is given out twice"
    )


def _named(pools: list[Pool]) -> str:
    return f"pool{'s' if len(pools) > 1 else ''} {' and '.join(pool.name for pool in pools)}"


def _claimed(profile: Profile) -> list[Pool]:
    return [pool for pool in nvidia_pools(profile.spec) if pool.gpu.dra is not None]
