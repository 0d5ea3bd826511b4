"""Notes on GPU sharing that a provider's own settings decide."""

from collections.abc import Callable

from gpuspec.spec import Pool, Profile, Sharing

OPERATOR = "gpu-operator"
_WITH_OPERATOR = (
    f"where the GPU Operator runs the devices, name {OPERATOR} in `installed` to have its objects"
)


def provider_note(profile: Profile, pool: Pool, sharing: Sharing) -> str | None:
    """Return the provider's settings for a pool's sharing; None if the GPU Operator shares the
    GPUs.

    Sources: GKE's and AKS's node pool options (gcloud, az), Bottlerocket's settings.
    """
    write_note = _PROVIDERS.get(profile.spec.provider)
    if write_note is None or OPERATOR in profile.spec.installed:
        return None
    return f"pool {pool.name}: {write_note(sharing)}"


def _gke(sharing: Sharing) -> str:
    if sharing.mode == "mig":
        partition = ", ".join(sharing.profiles)
        options = f"gpu-partition-size={partition}"
    else:
        mode = "mps" if sharing.mode == "mps" else "time-sharing"
        options = f"gpu-sharing-strategy={mode},max-shared-clients-per-gpu={sharing.replicas}"
    return f"GKE shares GPUs by the node pool, made with --accelerator …,{options}"


def _aks(sharing: Sharing) -> str:
    if sharing.mode == "mig":
        compute = next(iter(sharing.profiles)).partition("g.")[0]
        return (
            f"AKS cuts GPUs by the node pool, made with --gpu-instance-profile MIG{compute}g; "
            f"{_WITH_OPERATOR}"
        )
    return f"no node pool of AKS sets {sharing.mode}; {_WITH_OPERATOR}"


def _eks(sharing: Sharing) -> str:
    table = "settings.kubelet-device-plugins.nvidia"
    if sharing.mode == "mig":
        how = f'device-partitioning-strategy = "mig" and the profiles under {table}.mig.profile'
    else:
        how = (
            f'device-sharing-strategy = "{sharing.mode}" and replicas = {sharing.replicas} under '
            f"{table}.{sharing.mode}"
        )
    return f"Bottlerocket nodes share GPUs by user data: {table}, {how}; {_WITH_OPERATOR}"


def _managed(title: str) -> Callable[[Sharing], str]:
    def said(sharing: Sharing) -> str:
        return (
            f"{title} runs the device plugin itself, and gpuspec knows no setting of it for "
            f"{sharing.mode}; {_WITH_OPERATOR}"
        )

    return said


_PROVIDERS: dict[str, Callable[[Sharing], str]] = {
    "gke": _gke,
    "aks": _aks,
    "eks": _eks,
    "eks-auto": _managed("EKS Auto Mode"),
    "coreweave": _managed("CoreWeave"),
}
