"""Names of resources: the valid ones, and the meaning of a wrong one."""

from functools import cache, lru_cache

from gpuspec import hardware, keys
from gpuspec.hardware.node_labels import label_keys
from gpuspec.numbers import is_digits

# What a container may ask for without a domain (Kubernetes, pkg/apis/core/helper).
_OWN = ("cpu", "memory", "ephemeral-storage")
# How alike two names must be for one to be a slip of the other.
_LIKENESS = 0.9
_NVIDIA = "nvidia.com"
_LABELLED = (_NVIDIA, "amd.com")
# What people call an amount of a GPU's memory; HAMi's own names are among the neighbours.
_AMOUNTS = (
    "gpumemory",
    "gpumemorymb",
    "gpumemorymib",
    "gpumemorygb",
    "gpumemorygib",
    "gpuvram",
    "vram",
)


@lru_cache(1024)
def is_right(name: str) -> bool:
    """Return whether a name is valid, or cannot be checked: huge pages, devices, placeholders."""
    if name in _OWN or name.startswith("hugepages-") or not name:
        return True
    if name.isupper() or any(sign in name for sign in "${<"):
        return True  # to be filled in
    if hardware.is_gpu_resource(name) or name in _neighbours():
        return True
    return name in keys.resources_beside(name)


@cache
def meant_resource(name: str) -> str | None:
    """Return the device, or the host resource, that a wrong name means."""
    from difflib import SequenceMatcher

    letters = plain(name)
    if letters in _NICKNAMES:
        return _NICKNAMES[letters]
    if "mig" in letters:
        return None
    for device in (*_devices(), *keys.resources_beside(name)):
        if letters == plain(device):
            return device
        if "/" in name and abs(len(name) - len(device)) < 3:
            close = SequenceMatcher(None, name.lower(), device).ratio()
            if close >= _LIKENESS and _digits(name) == _digits(device):
                return device
    return None


@cache
def never_advertised(name: str) -> str | None:
    """Return why no plugin advertises a correctly spelt name in a vendor's domain; None if a user's
    own plugin may. Intel's domain is skipped: GPU Aware Scheduling uses its labels as resources."""
    domain, slash, last = name.rpartition("/")
    if slash and domain in _LABELLED and name in label_keys():
        return "is a node label, not a resource"
    if domain == _NVIDIA and plain(last) in _AMOUNTS:
        return (
            "is not a resource: NVIDIA's device plugin counts GPUs and GPU shares, not their memory"
        )
    return None


@cache
def _devices() -> tuple[str, ...]:
    return tuple(
        resource.name
        for vendor in hardware.vendors()
        for resource in vendor.resources
        if not resource.name.endswith("*") and not resource.name.startswith("deviceclass.")
    )


@cache
def _neighbours() -> frozenset[str]:
    """Return the names in the vendors' domains that are valid and are not accelerators."""
    return frozenset(name for vendor in hardware.vendors() for name in vendor.others)


def plain(name: str) -> str:
    """Return only letters and digits, without a plural ending."""
    return "".join(letter for letter in name.lower() if letter.isalnum()).removesuffix("s")


def _digits(name: str) -> str:
    return "".join(filter(is_digits, name))


_NICKNAMES = {
    "gpu": "nvidia.com/gpu",
    "nvidia": "nvidia.com/gpu",
    "nvidiagpu": "nvidia.com/gpu",
    "gpunvidia": "nvidia.com/gpu",
    "gpunvidiacom": "nvidia.com/gpu",
    "nvidiacom": "nvidia.com/gpu",
    "alphakubernetesionvidiagpu": "nvidia.com/gpu",
    "kubernetesionvidiagpu": "nvidia.com/gpu",
    "amdgpu": "amd.com/gpu",
    "gaudi": "habana.ai/gaudi",
    "habanagaudi": "habana.ai/gaudi",
    "habanacomgaudi": "habana.ai/gaudi",
    "tpu": "google.com/tpu",
    "googletpu": "google.com/tpu",
    "cloudtpu": "google.com/tpu",
    "neuron": "aws.amazon.com/neuron",
    "cpu": "cpu",
    "core": "cpu",
    "mem": "memory",
    "ram": "memory",
    "memory": "memory",
    "storage": "ephemeral-storage",
    "ephemeralstorage": "ephemeral-storage",
}
