"""Container files without an engine: their steps are carried out in layers over this machine's root.

No registry is asked and no engine runs. What a `FROM` of somebody else's image would bring (a system
with a Python) is this machine's own, with the checkout hidden: an overlay over `/`, one layer for each
stage. What our steps say is done as they say it: copied from the context alone, run by `/bin/sh` in a
root of its own. So this proves the steps, the paths, the user and the read-only root; not the base
image that is named, nor an engine's own reading of the file. Needs root and overlays.
"""

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tarfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).parents[2]
PROGRAMS = ("unshare", "nsenter", "mount", "chroot", "setpriv", "env", "cp")
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
MOUNTS = r"""
set -eu
mount -t overlay overlay -o "$2,index=off,lowerdir=$3,upperdir=$1,workdir=$1.work" "$1.root"
mount --bind /dev "$1.root/dev"
mount -t proc proc "$1.root/proc"
mount -t tmpfs -o mode=1777 tmpfs "$1.root/tmp"
echo ready
exec setpriv --pdeathsig=KILL sleep infinity
"""


@dataclass
class Image:
    """A layer over a root, this machine's unless it has one of its own, and what is said of running it."""

    layer: Path
    env: dict[str, str]
    user: str = "0"
    folder: str = "/"
    entrypoint: list[str] = field(default_factory=list)
    root: Path = Path("/")

    def below(self, layer: Path) -> "Image":
        """What an image that is made from this one begins with."""
        return Image(layer, {**self.env}, self.user, self.folder, [*self.entrypoint], self.root)

    def file(self, path: str) -> Path:
        """Where a file of the image is, which has it in its layer or in its root."""
        return next(f for f in (self.layer / path, self.root / path) if f.exists())


class Container:
    """An image whose root is mounted, for the processes that are started in it."""

    def __init__(self, image: Image, *, building: bool = False) -> None:
        """Read-only, its processes those of the image's user without any privilege; while it is
        built, root's, and what they write is kept in the layer. Raises `OSError`."""
        self._image, self._building = image, building
        self._root = f"{image.layer}.root"
        for folder in (self._root, f"{image.layer}.work"):
            Path(folder).mkdir(exist_ok=True)
        way = "rw" if building else "ro"
        self._holder = subprocess.Popen(
            [
                *("unshare", "--mount", "--propagation", "private", "sh", "-c", MOUNTS, "sh"),
                *(str(image.layer), way, str(image.root)),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self._holder.stdout and self._holder.stderr
        if self._holder.stdout.readline() != b"ready\n":
            raise OSError(self._holder.stderr.read().decode().strip())

    def __enter__(self) -> "Container":
        return self

    def __exit__(self, *_: object) -> None:
        self._holder.kill()
        self._holder.communicate()

    def give(self, folder: Path) -> str:
        """Copy a folder into /tmp as the user's own, as Argo CD's server does; returns its place."""
        place = f"/tmp/_cmp_server-{folder.name}"
        user = self._image.user
        script = 'mkdir -m 700 "$2" && cp -r "$1" "$2/repo" && chown -R "$3" "$2"'
        within = [*self._inside(), "sh", "-c", script, "sh"]
        subprocess.run([*within, str(folder), self._root + place, user], check=True)
        return f"{place}/repo"

    def start(
        self, command: list[str], *, env: dict[str, str] | None = None, folder: str | None = None
    ) -> "subprocess.Popen[bytes]":
        """A command begun. Every program on the way to it is replaced by the next one, so that a
        signal meets the command itself."""
        uid = self._image.user.partition(":")[0]
        rights = ["--no-new-privs", "--inh-caps=-all", "--bounding-set=-all"]
        user = [f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]
        environment = {**self._image.env, **(env or {})}
        return subprocess.Popen(
            [
                *(*self._inside(), "chroot", self._root),
                *("setpriv", *user, *([] if self._building else rights)),
                *("env", "-i", "-C", folder or self._image.folder),
                *(f"{name}={value}" for name, value in environment.items()),
                *command,
            ],
            env={"PATH": SYSTEM_PATH},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def run(
        self, command: list[str], *, env: dict[str, str] | None = None
    ) -> "subprocess.CompletedProcess[bytes]":
        """A command, waited for."""
        process = self.start(command, env=env)
        out, err = process.communicate(timeout=600)
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def _inside(self) -> list[str]:
        return ["nsenter", f"--mount=/proc/{self._holder.pid}/ns/mnt"]


def lacking(scratch: Path) -> str | None:
    """Why layers cannot be made here; None when they can."""
    if os.geteuid() != 0:
        return "needs root, to play a container: sudo make hosts-test"
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing:
        return f"needs {', '.join(missing)}"
    try:
        with Container(base(scratch)) as container:
            done = container.run([f"{sys.base_prefix}/bin/python3", "-c", "import venv, ensurepip"])
    except OSError as error:
        return f"no layers over this root: {error}"
    return None if done.returncode == 0 else f"no layers over this root: {done.stderr.decode()}"


def base(scratch: Path) -> Image:
    """This machine as the image of a system with a Python, which everyone may run; no checkout."""
    layer = scratch / "base"
    if not layer.exists():
        layer.mkdir(parents=True)
        for folder in reversed([Path(sys.base_prefix), *Path(sys.base_prefix).parents][:-1]):
            copied = layer / folder.relative_to("/")
            copied.mkdir()
            copied.chmod(0o755)
        hidden = layer / ROOT.relative_to("/")
        hidden.parent.mkdir(parents=True, exist_ok=True)
        os.mknod(hidden, stat.S_IFCHR, os.makedev(0, 0))  # how an overlay says: nothing is here
    return Image(layer, {"PATH": f"{sys.base_prefix}/bin:{SYSTEM_PATH}"})


def unpacked(archive: Path, scratch: Path, *, again: bool = False) -> Image:
    """An image of one layer, out of an archive as the OCI lays it out.

    `again`: it is unpacked there already, and only what is said of running it is read.
    """
    root, layer = scratch / "root", scratch / "layer"
    if not again:
        for folder in (root, layer):
            folder.mkdir(parents=True)
            folder.chmod(0o755)
    with tarfile.open(archive) as files:

        def blob(described: Any) -> IO[bytes]:
            algorithm, _, digest = described["digest"].partition(":")
            file = files.extractfile(f"blobs/{algorithm}/{digest}")
            assert file is not None
            return file

        index = files.extractfile("index.json")
        assert index is not None
        manifest = json.load(blob(json.load(index)["manifests"][0]))
        config = json.load(blob(manifest["config"]))["config"]
        if not again:
            (described,) = manifest["layers"]
            command = ["tar", "-x", "--numeric-owner", "-C", str(root)]
            with subprocess.Popen(command, stdin=subprocess.PIPE) as tar:
                assert tar.stdin is not None
                shutil.copyfileobj(blob(described), tar.stdin)
            assert tar.returncode == 0
    env = dict(pair.split("=", 1) for pair in config["Env"])
    return Image(layer, env, config["User"], config["WorkingDir"], config["Entrypoint"], root)


def instructions(file: Path) -> list[tuple[str, str]]:
    """The instructions of a container file, in order: the word, and the rest of the line."""
    text = re.sub(r"^\s*#.*\n", "", file.read_text(), flags=re.MULTILINE)
    lines = [" ".join(line.split()) for line in text.replace("\\\n", " ").splitlines()]
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in lines if line]


def build(file: Path, known: dict[str, Image], scratch: Path, *, again: bool = False) -> Image:
    """Carry out a container file; `known` are images by the names that its `FROM` has.

    `again`: the layers are there already, and only what is said of them is read.
    """
    arguments: dict[str, str] = {}
    stages: dict[str, Image] = {}
    here = Image(scratch, {})
    for word, rest in instructions(file):
        rest = re.sub(r"\$\{(\w+)\}", lambda m: arguments[m[1]], rest)
        match word, rest.split():
            case "ARG", [text]:
                name, _, arguments[name] = text.partition("=")
            case "FROM", [name, *alias]:
                origin = stages.get(name) or known[name]
                here = origin.below(scratch / f"{file.parent.name}-{len(stages)}")
                if not again:
                    subprocess.run(["cp", "-a", origin.layer, here.layer], check=True)
                stages[alias[1] if alias else str(len(stages))] = here
            case "COPY" | "RUN", _ if again:
                pass
            case "COPY", [option, source, target] if option.startswith("--from="):
                _copied(stages[option.removeprefix("--from=")].layer / source[1:], here, target)
            case "COPY", [*sources, target]:
                for source in sources:
                    into = target.endswith("/")
                    _copied(ROOT / source, here, target + source if into else target)
            case "RUN", _:
                _run(here, rest)
            case "ENV", pairs:
                for pair in pairs:
                    name, _, value = pair.partition("=")
                    here.env[name] = value.replace("$PATH", here.env.get("PATH", ""))
            case "USER", [user]:
                here.user = user
            case "WORKDIR", [folder]:
                (here.layer / folder[1:]).mkdir(parents=True, exist_ok=True)
                here.folder = folder
            case "ENTRYPOINT", _:
                here.entrypoint = json.loads(rest)
            case _:
                raise AssertionError(f"{file}: {word} is not played here")
    return here


def _copied(source: Path, image: Image, target: str) -> None:
    place = image.layer / target[1:]
    place.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        ours = source.is_relative_to(ROOT)
        ignore = shutil.ignore_patterns("__pycache__") if ours else None
        shutil.copytree(source, place, symlinks=True, ignore=ignore)
    else:
        shutil.copy(source, place)


def _run(image: Image, command: str) -> None:
    """How this machine reaches its package index is its own matter, and is passed on, with what it
    has of it."""
    index = {"PIP_CACHE_DIR": str(Path.home() / ".cache/pip")} | {
        k: v for k, v in os.environ.items() if k.startswith("PIP_") or k.lower().endswith("_proxy")
    }
    with Container(image, building=True) as container:
        done = container.run(["/bin/sh", "-c", command], env=index)
    assert done.returncode == 0, f"RUN {command}\n{done.stdout.decode()}\n{done.stderr.decode()}"
