"""A volume over the folder that holds the program of an image."""

from collections.abc import Iterator

from gpuspec import runtimes
from gpuspec.lint.analysis.reading.kustomizations import is_changed
from gpuspec.lint.analysis.security.users import mount_of, mounted
from gpuspec.lint.analysis.serving.scripts import is_shell, main_words
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests.values import items, mapping, text
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod
from gpuspec.objects.scheduling import is_whole

RULE = Rule(
    "GPU838",
    "mount-hides-program",
    "error",
    "A volume mount hides the image's program",
)
# Folders of every image, in which no volume has what the programs there need.
_SYSTEM = ("/bin", "/lib", "/lib64", "/sbin", "/usr", "/usr/bin", "/usr/lib", "/usr/local/bin")
# Folders of libraries and programs, in which a volume needs a copy of what the image has.
_LIBRARIES = ("/usr/local", "/usr/local/cuda", "/usr/local/lib", "/opt/conda")
# What images add to their distribution, whose shells are in `/bin`.
_ADDED = "/usr/local/bin"
_CERTIFICATES = "/etc/ssl/certs"
_BUNDLES = ("ca-certificates.crt", "ca-bundle.crt", "tls-ca-bundle.pem")
_INTERPRETERS = frozenset({"python", "python3", "bash", "sh", "torchrun"})
# What holds nothing that an image has, and nothing that somebody put there for it.
_EMPTY = {"emptyDir", "configMap", "secret", "projected", "downwardAPI"}


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield mounts over folders that images are known to need, except those that an init container
    may fill."""
    filled = {
        text(entry.get("name"))
        for container in pod.every
        if container.stage == "init"
        for _, entry in container.mounts.values()
    }
    for container in pod.every:
        server = server_of(container)
        folders = () if server is None else runtimes.folders(server.name, container.image)
        for mount, (index, entry) in container.mounts.items():
            volume = mounted(pod, container, mount)
            if volume is None or entry.get("subPath") or entry.get("subPathExpr"):
                continue
            empty = not _EMPTY.isdisjoint(volume)
            hidden = next((folder for folder in folders if _is_over(mount, folder)), None)
            if text(entry.get("name")) in filled or (
                hidden is None
                and not (empty and mount in _SYSTEM and not _spares(mount, container))
            ):
                continue
            who = f"the image of {server.title}" if server and hidden else "the image"
            yield RawFinding(
                container.path("volumeMounts", index, "mountPath"),
                (
                    f"volume `{entry.get('name')}` at `{mount}` hides the files of {who} "
                    f"there{_program(hidden)}"
                ),
                note=_note(container, hidden),
                severity=None if empty else "warning",
                confidence="certain" if empty else "likely",
            )
        yield from _programs(pod, container)
        yield from _libraries(pod, container, filled)
        yield from _certificates(pod, container, context)


def _spares(mount: str, container: PodContainer) -> bool:
    """Return whether a container starts a shell, which images have elsewhere, to fill the folder."""
    line = main_words(container)
    if mount != _ADDED or line is None or not container.value.get("command"):
        return False
    return is_shell(line.words[0]) and not line.words[0].startswith(f"{mount}/")


def _programs(pod: Pod, container: PodContainer) -> Iterator[RawFinding]:
    """Yield volumes that are empty when the container starts, over the program that it starts."""
    if not is_whole(pod):
        return
    line = main_words(container)
    words = [] if line is None or not container.value.get("command") else line.words
    first = 1 if words and words[0].rpartition("/")[2] in _INTERPRETERS else 0
    program = words[first] if first < len(words) else ""
    mount = mount_of(container, program) if program.startswith("/") else None
    volume = None if mount is None else mounted(pod, container, mount)
    if mount is None or volume is None or "emptyDir" not in volume:
        return
    index, entry = container.mounts[mount]
    users = [
        sibling
        for sibling in pod.every
        if any(
            mount_entry.get("name") == entry.get("name")
            for _, mount_entry in sibling.mounts.values()
        )
    ]
    if len(users) > 1:
        return
    yield RawFinding(
        container.path("volumeMounts", index, "mountPath"),
        f"volume `{entry.get('name')}` at `{mount}` is empty and hides `{program}` of the image: the "
        "container never starts",
        note=_note(container, mount),
    )


def _libraries(pod: Pod, container: PodContainer, filled: set[str]) -> Iterator[RawFinding]:
    for mount, (index, entry) in container.mounts.items():
        volume = mounted(pod, container, mount)
        if mount not in _LIBRARIES or volume is None or text(entry.get("name")) in filled:
            continue
        if {"emptyDir", "persistentVolumeClaim"}.isdisjoint(volume):
            continue
        yield RawFinding(
            container.path("volumeMounts", index, "mountPath"),
            f"volume `{entry.get('name')}` at `{mount}` hides the libraries and programs of the image "
            "there: the program fails at startup, unless the volume has a copy",
            note=_note(container, mount),
            severity="warning",
            confidence="likely",
        )


def _certificates(pod: Pod, container: PodContainer, context: Context) -> Iterator[RawFinding]:
    """Yield a private certificate that replaces those of all public authorities."""
    index, entry = container.mounts.get(_CERTIFICATES, (0, {}))
    volume = mounted(pod, container, _CERTIFICATES) if entry else None
    if not volume or entry.get("subPath") or entry.get("subPathExpr"):
        return
    source = mapping(volume.get("configMap"))
    name = text(source.get("name"))
    config = context.collection.named("", "ConfigMap", name, pod.object.namespace)
    if not name or config is None or is_changed(config, context.collection):
        return
    files = [text(mapping(item).get("path")) for item in items(source.get("items"))]
    data = (mapping(config.value.get(field)) for field in ("data", "binaryData"))
    files = files or [str(key) for part in data for key in part]
    if not files or any(file in _BUNDLES for file in files):
        return
    yield RawFinding(
        container.path("volumeMounts", index, "mountPath"),
        f"ConfigMap `{name}` at `{_CERTIFICATES}` hides the certificates of the public authorities: "
        "TLS to hubs and registries fails",
        note=f"mount the single file with `subPath`, such as at `{_CERTIFICATES}/{files[0]}`, or "
        "elsewhere with a variable such as `SSL_CERT_FILE`",
        severity="warning",
        confidence="likely",
    )


def _is_over(mount: str, folder: str) -> bool:
    """Return whether a volume at `mount` takes the place of a folder."""
    return mount == folder or folder.startswith(f"{mount.rstrip('/')}/")


def _program(hidden: str | None) -> str:
    if hidden is None:
        return ", including its programs, and the container never starts"
    return ", including its program, and the container never starts"


def _note(container: PodContainer, hidden: str | None) -> str:
    if hidden is None:
        return "mount the volume elsewhere, or a single file of it with `subPath`"
    return f"mount the volume next to `{hidden}`, or in a subfolder that the program fills itself"
