"""Where gpuspec itself mounts things in a pod, and what it calls them, and what it makes of names.

The spec's rules keep other volumes away from these places, and the plan mounts them there.
"""

from typing import Any, NamedTuple

from gpuspec.spec.model_source import ModelRef

MAIN_CONTAINER = "main"
TMP = "/tmp"
HOME = "/home/app"
SHM = "/dev/shm"
MODELS = "/models"
DATA = "/data"
# Not below the home: folders that lead to a mount belong to root, which would close the others.
MODEL_CACHE = "/model-cache"
ADAPTERS = "/adapters"
CHAT_TEMPLATE = "/chat-template"
PLACEHOLDER_SUFFIX = "-placeholder"
# Characters of a label's value and of a host name, which names of objects and of pods become.
LONGEST = 63
# Hexadecimal digits by which a run without a name is told from the next one.
DIGEST_LENGTH = 8
UNNAMED = "0" * DIGEST_LENGTH
"""What stands for the digest before it is known."""
PYTHON = ("python", "python3")


class OwnMount(NamedTuple):
    """A volume that a field of the spec, or every pod, brings along."""

    volume: str
    path: str
    read_only: bool
    field: str | None
    """The field that asks for it; None for what every pod has."""


def adapter_folder(name: str) -> str:
    """Return where an adapter of that name is mounted."""
    return f"{ADAPTERS}/{name}"


def own_mounts(spec: Any) -> list[OwnMount]:
    """Return the volumes of a workload's main container beside those declared under `volumes`."""
    mounts = [
        OwnMount("tmp", TMP, False, None),
        OwnMount("home", HOME, False, None),
        OwnMount("shm", SHM, False, None),
    ]
    for field in ("model", "baseModel"):
        model: ModelRef | None = getattr(
            spec, "base_model" if field == "baseModel" else field, None
        )
        if model is None:
            continue
        if model.source.hub is None:
            mounts.append(OwnMount("model", model.source.mount or MODELS, True, field))
        elif model.source.hub.cache:
            mounts.append(OwnMount("model-cache", MODEL_CACHE, False, f"{field}.source.hub"))
    if spec.caches is not None:
        mounts.append(OwnMount("caches", spec.caches.mount, False, "caches"))
    for field in ("dataset", "input"):
        artifact = getattr(spec, field, None)
        if artifact is not None and artifact.hub is None:
            mounts.append(OwnMount(field, artifact.mount or DATA, True, field))
    mounted = {
        adapter.name: i
        for i, adapter in enumerate(getattr(spec, "adapters", ()))
        if not adapter.source.hub
    }
    for name, index in mounted.items():
        mounts.append(OwnMount(f"adapter-{index}", adapter_folder(name), True, "adapters"))
    if (template := getattr(spec, "chat_template", None)) is not None and template.config_map:
        mounts.append(OwnMount("chat-template", CHAT_TEMPLATE, True, "chatTemplate"))
    if checkpoint := getattr(spec, "checkpoint", None):
        mounts.append(OwnMount("checkpoints", checkpoint.mount, False, "checkpoint"))
    if output := getattr(spec, "output", None):
        mounts.append(OwnMount("output", output.mount, False, "output"))
    return mounts
