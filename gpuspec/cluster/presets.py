"""Built-in profiles, by name.

They have no pools, since the team of a cluster knows its nodes. What the nodes of a provider have
in common (labels, taints, storage classes) comes from the hardware's table of providers.
"""

from typing import get_args

import msgspec

from gpuspec.kubernetes import VERSIONS
from gpuspec.spec import API_VERSION, PROFILE_KIND, ClusterProfile, Preset, Profile
from gpuspec.spec.extends import preset_spec
from gpuspec.spec.types import decode

GENERIC = "generic"


def preset_names() -> tuple[str, ...]:
    """Return the names of the built-in profiles, `generic` first."""
    # Not from the table, which is read when a preset is used.
    return tuple(sorted(get_args(Preset), key=lambda name: (name != GENERIC, name)))


def preset(name: str) -> Profile:
    """Return a built-in profile, for the newest supported Kubernetes.

    `generic` is for an unknown cluster: the GPU Operator's labels and taint, nothing installed.

    Raises:
        KeyError: no built-in profile has this name.
    """
    document = {
        "apiVersion": API_VERSION,
        "kind": PROFILE_KIND,
        "metadata": {"name": name},
        "spec": {"kubernetes": VERSIONS[-1], **preset_spec(name)},
    }
    return Profile(msgspec.convert(document, ClusterProfile, dec_hook=decode))
