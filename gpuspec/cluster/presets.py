"""Built-in profiles, by name."""

from gpuspec.spec import ClusterProfile, ClusterProfileSpec, Profile, ProfileMetadata
from gpuspec.spec.rules.profile import KUBERNETES

GENERIC = "generic"


def preset_names() -> tuple[str, ...]:
    """Names of the built-in profiles."""
    return (GENERIC,)


def preset(name: str) -> Profile:
    """A built-in profile.

    `generic` is for when nothing is known: the GPU Operator's labels and taint, nothing
    installed, no node shapes. Raises `KeyError` for an unknown name.
    """
    if name != GENERIC:
        raise KeyError(name)
    return Profile(
        ClusterProfile(
            api_version="gpuspec.dev/v1alpha1",
            metadata=ProfileMetadata(name=GENERIC),
            spec=ClusterProfileSpec(kubernetes=KUBERNETES[-1]),
        )
    )
