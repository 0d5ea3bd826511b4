"""A volume for weights that the server does not download to."""

from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Found, Put, Rule
from gpuspec.lint.subjects.security.users import (
    is_non_root,
    is_writable,
    lasting_mounts,
    mount_of,
)
from gpuspec.lint.subjects.serving.hub import folders, hub_folder, hub_model
from gpuspec.lint.subjects.serving.servers import server_of
from gpuspec.manifests.values import items
from gpuspec.objects.containers import Container
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole
from gpuspec.runtimes import Runtime

RULE = Rule(
    "GPU917",
    "cache-elsewhere",
    "warning",
    "A server downloads its weights beside the volume that is mounted for them",
    fix="unsafe",
)


def check(pod: Pod, context: Context) -> Iterator[Found]:
    """Servers that download a model, and one lasting volume that nothing in them speaks of."""
    if not is_whole(pod):
        return
    for container in pod.gpu_containers:
        server = server_of(container) if container.stage == "main" else None
        what = None if server is None else _downloads(container, server)
        if server is None or what is None:
            continue
        folder = hub_folder(container, server)
        if folder is None or (folder.startswith("/root/") and is_non_root(pod, container)):
            continue
        mounts = [one for one in lasting_mounts(pod, container) if is_writable(pod, container, one)]
        within = mount_of(container, folder)
        if within in mounts or len(mounts) != 1 or _is_named(container, mounts[0]):
            continue
        at = container.path("volumeMounts", container.mounts[mounts[0]][0], "mountPath")
        variable = _variable(server)
        yield Found(
            at,
            f"{server.title} downloads {what} to `{folder}`, which is not on the volume at "
            f"`{mounts[0]}`: it is downloaded again at each start",
            note=f"set `{variable}` to `{mounts[0]}`, or mount the volume at `{folder}`",
            confidence="likely",
            fix=_fix(container, variable, mounts[0]),
        )


def _downloads(container: Container, server: Runtime) -> str | None:
    """What a server downloads, in words; None where it downloads nothing, or that is not known."""
    if server.weights is not None and server.weights.on_request:
        return "each model that a client asks for"
    model = hub_model(container, server)
    return None if model is None else f"`{model.name}`"


def _variable(server: Runtime) -> str:
    """The variable that is the folder, and nothing is added to."""
    plain = [
        name for name, _, below in (each.partition("=") for each in folders(server)) if not below
    ]
    return "HF_HOME" if "HF_HOME" in plain else plain[0]


def _is_named(container: Container, mount: str) -> bool:
    """Whether a word or a variable speaks of a folder, whatever it means by it."""
    values = (container.env_value(name) or "" for name in container.env)
    words = (word.text for word in container.words)
    return any(mount in text for text in (*values, *words))


def _fix(container: Container, variable: str, mount: str) -> Fix | None:
    """The variable is the mount, where nothing that goes before it says otherwise."""
    if "HF_HUB_CACHE" in container.env or container.words.flag("--download-dir") is not None:
        return None
    title = "keep downloads there"
    if variable in container.env:
        return Fix(title, (Put((*container.env_path(variable), "value"), mount),))
    at = container.path("env", len(items(container.value.get("env"))))
    return Fix(title, (Put(at, {"name": variable, "value": mount}),))
