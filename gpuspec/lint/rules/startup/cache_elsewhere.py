"""A volume for weights that are downloaded elsewhere."""

import re
from collections.abc import Iterator

from gpuspec.lint.analysis.security.users import (
    is_non_root,
    keeping_mounts,
    mount_of,
    mounted,
)
from gpuspec.lint.analysis.serving.hub import (
    downloads,
    folders,
    hub_folder,
    is_hub_name,
    is_offline,
)
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.manifests.values import items, mapping
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole
from gpuspec.runtimes import Runtime

RULE = Rule(
    "GPU917",
    "cache-elsewhere",
    "warning",
    "A server downloads its weights outside the volume mounted for them",
    fix="unsafe",
)


# A variable that names a folder which models are downloaded to.
_CACHE = re.compile(
    r"HF_HOME|HF_HUB_CACHE|(?=.*(?:MODEL|HUGGINGFACE|TRANSFORMERS|WEIGHT)).*CACHE(?:_(?:DIR|DIRECTORY|"
    r"FOLDER|HOME|PATH|ROOT))?"
)
_STRAY = "the node's own disk fills up, while the volume stays empty"
_PURPOSE = re.compile(r"cache|model|weight|hub|hf|hugging")


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield servers that download a model, and other programs whose variable names a cache of
    models, with one volume for it that nothing in them speaks of."""
    if not is_whole(pod):
        return
    for container in pod.containers:
        yield from _by_variable(pod, container)
        yield from _by_home(pod, container)
    for container in pod.gpu_containers:
        server = server_of(container) if container.stage == "main" else None
        model_text = None if server is None else _downloads(container, server)
        if server is None or model_text is None:
            continue
        folder = hub_folder(container, server)
        if folder is None or (folder.startswith("/root/") and is_non_root(pod, container)):
            continue
        mount = _other_mount(pod, container, folder)
        if mount is None:
            continue
        at = container.path("volumeMounts", container.mounts[mount][0], "mountPath")
        variable = _variable(server)
        again = "each start downloads the model again"
        then = _STRAY if _is_ephemeral(pod, container, mount) else again
        yield RawFinding(
            at,
            f"{server.title} downloads {model_text} to `{folder}`, not to the volume at `{mount}`: {then}",
            note=f"set `{variable}` to `{mount}`, or mount the volume at `{folder}`",
            confidence="likely",
            fix=_fix(container, variable, mount),
        )


def _by_variable(pod: Pod, container: PodContainer) -> Iterator[RawFinding]:
    """Yield a program that is no known server: a variable of it names the folder, the volume its
    purpose."""
    if server_of(container) is not None:
        return
    for name in container.env:
        folder = container.env_value(name) or ""
        if not _CACHE.fullmatch(name) or not folder.startswith("/") or "$" in folder:
            continue
        mount = _other_mount(pod, container, folder)
        if mount is None or not _is_for_models(pod, container, mount):
            continue
        again = "the cache is lost with the pod, and models are downloaded again at each start"
        then = _STRAY if _is_ephemeral(pod, container, mount) else again
        yield RawFinding(
            (*container.env_path(name), "value"),
            f"`{name}` is `{folder}`, not a folder of the volume at `{mount}`: {then}",
            note=f"set `{name}` to `{mount}`, or mount the volume at `{folder}`",
            confidence="likely",
            fix=Fix(
                f"set `{name}` to `{mount}`", (Put((*container.env_path(name), "value"), mount),)
            ),
        )
        return


def _by_home(pod: Pod, container: PodContainer) -> Iterator[RawFinding]:
    """Yield an unknown program with a model of the hub and its home on a disk that is lost with the
    pod, because the hub's library caches below the home."""
    if server_of(container) is not None or "envFrom" in container.value or is_offline(container):
        return
    flag = container.words.flag("--model", "--model-id", "--model-name", "--model-name-or-path")
    home = container.env_value("HOME") or ""
    if flag is None or not is_hub_name(flag.value or "") or not home.startswith("/"):
        return
    if any(_CACHE.fullmatch(name) or name == "XDG_CACHE_HOME" for name in container.env):
        return
    at = mount_of(container, home)
    volume = mounted(pod, container, at) if at is not None else None
    mount = _other_mount(pod, container, home) if volume and "emptyDir" in volume else None
    if mount is None or not _is_for_models(pod, container, mount):
        return
    yield RawFinding(
        (*container.env_path("HOME"), "value"),
        f"`{flag.value}` is downloaded below `HOME` ({home}), not on the volume at `{mount}`: "
        "each start downloads the model again",
        note=f"set `HF_HOME` to `{mount}`",
        confidence="likely",
        fix=_fix(container, "HF_HOME", mount),
    )


def _is_for_models(pod: Pod, container: PodContainer, mount: str) -> bool:
    """Return whether the name of a volume or its claim indicates that it is for models."""
    volume = mounted(pod, container, mount) or {}
    claim = mapping(volume.get("persistentVolumeClaim")).get("claimName")
    volume_and_claim = (container.mounts[mount][1].get("name"), claim)
    return any(
        isinstance(name_value, str) and _PURPOSE.search(name_value.lower())
        for name_value in volume_and_claim
    )


def _other_mount(pod: Pod, container: PodContainer, folder: str) -> str | None:
    """Return the only persistent or separate volume that could hold a folder, is mounted elsewhere,
    and is not mentioned."""
    ephemeral_mounts = [mount for mount in container.mounts if _is_ephemeral(pod, container, mount)]
    mounts = keeping_mounts(pod, container) + ephemeral_mounts
    if mount_of(container, folder) in mounts or len(mounts) != 1:
        return None
    return None if _is_named(container, mounts[0]) else mounts[0]


def _is_ephemeral(pod: Pod, container: PodContainer, mount: str) -> bool:
    """Return whether a disk is mounted that is made with the pod and goes with it."""
    return "ephemeral" in (mounted(pod, container, mount) or {})


def _downloads(container: PodContainer, server: Runtime) -> str | None:
    """Return what a server downloads, in words; None if nothing, or unknown."""
    if server.weights is not None and server.weights.on_request:
        return "each model that a client asks for"
    model = downloads(container, server)
    return None if model is None else model.name


def _variable(server: Runtime) -> str:
    """Return the variable that is the folder, and nothing is added to."""
    plain = [
        name
        for name, _, below in (folder.partition("=") for folder in folders(server))
        if not below
    ]
    return "HF_HOME" if "HF_HOME" in plain else plain[0]


def _is_named(container: PodContainer, mount: str) -> bool:
    """Return whether a word or a variable speaks of a folder, whatever it means by it."""
    values = (container.env_value(name) or "" for name in container.env)
    words = (word.text for word in container.words)
    return any(mount in text for text in (*values, *words))


def _fix(container: PodContainer, variable: str, mount: str) -> Fix | None:
    """Return a fix that sets the variable to the mount, unless another setting has precedence."""
    if "HF_HUB_CACHE" in container.env or container.words.flag("--download-dir") is not None:
        return None
    title = f"set `{variable}` to `{mount}`"
    if variable in container.env:
        return Fix(title, (Put((*container.env_path(variable), "value"), mount),))
    at = container.path("env", len(items(container.value.get("env"))))
    return Fix(title, (Put(at, {"name": variable, "value": mount}),))
