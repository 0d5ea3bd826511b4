#!/usr/bin/env python3
"""Makes an image of Containerfiles where no container engine is: on a Debian of its own, by mmdebstrap.

Usage: deploy/image/debian.py IMAGE.tar CONTAINERFILE...

The base that the first file names gives way to a Debian with a Python; all further steps are those of the
files, in their order, with the certificates that this machine trusts. Needs mmdebstrap, and root or user
namespaces. The image is an OCI archive:

    skopeo copy oci-archive:IMAGE.tar docker://registry.example.com/gpuspec:VERSION
"""

import hashlib
import io
import json
import os
import re
import shlex
import ssl
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SUITE = "trixie"
PACKAGES = "python-is-python3,python3-venv"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
OCI = "application/vnd.oci.image"


def main(image: str, *files: str) -> None:
    """Make the root, and the archive of it with what the files say of running it."""
    steps = [step for file in files for step in instructions(Path(file).read_text())]
    with tempfile.TemporaryDirectory() as scratch:
        layer = Path(scratch) / "layer.tar"
        hooks = [f"--customize-hook={hook}" for hook in in_root(steps)]
        made = ["mmdebstrap", "--variant=essential", f"--include={PACKAGES}", *hooks]
        # Devices are an engine's own, and not everyone may make them.
        subprocess.run([*made, "--skip=output/mknod", SUITE, str(layer)], check=True)
        write_archive(Path(image), layer, configuration(steps))


def instructions(text: str) -> list[tuple[str, str]]:
    """The instructions of a container file, in order: the word, and the rest of the line."""
    text = re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ")
    lines = [" ".join(line.split()) for line in text.splitlines()]
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in lines if line]


def in_root(steps: list[tuple[str, str]]) -> list[str]:
    """What is done in the root, as commands of a shell whose `$1` it is; all stages share it."""
    commands = ['mkdir "$1/src"']
    environment = ""
    if trusted := ssl.get_default_verify_paths().cafile:
        environment = "SSL_CERT_FILE=/src/certificates "
        commands.append(f'cp {shlex.quote(trusted)} "$1/src/certificates"')
    for word, rest in steps:
        if word == "RUN":
            commands.append(f'{environment}chroot "$1" /bin/sh -c {shlex.quote(rest)}')
        elif word == "WORKDIR":
            commands.append(f'mkdir -p "$1"{shlex.quote(rest)}')
        elif word == "COPY" and not rest.startswith("--from="):
            *sources, target = rest.split()
            place = f'"$1"{shlex.quote(target)}'
            commands.append(f"mkdir -p {place if target.endswith('/') else f'$(dirname {place})'}")
            copied = " ".join(shlex.quote(str(ROOT / source)) for source in sources)
            commands.append(f"cp -r {copied} {place}")
    return [*commands, 'rm -r "$1/src"']


def configuration(steps: list[tuple[str, str]]) -> dict[str, Any]:
    """How the image is run; what a later file says takes the place of what an earlier one did."""
    environment = {"PATH": PATH}
    config: dict[str, Any] = {}
    for word, rest in steps:
        if word == "ENV":
            pairs = (pair.partition("=") for pair in rest.split())
            environment |= {name: text.replace("$PATH", PATH) for name, _, text in pairs}
        elif word in ("USER", "WORKDIR"):
            config[{"USER": "User", "WORKDIR": "WorkingDir"}[word]] = rest
        elif word == "ENTRYPOINT":
            config["Entrypoint"] = json.loads(rest)
    return config | {"Env": [f"{name}={text}" for name, text in environment.items()]}


def write_archive(image: Path, layer: Path, config: dict[str, Any]) -> None:
    """One layer with its configuration, as the OCI's image layout in an archive."""
    with layer.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    described = {
        "architecture": {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine],
        "os": "linux",
        "config": config,
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]},
    }
    with tarfile.open(image, "w") as archive:
        archive.add(layer, f"blobs/sha256/{digest}")
        manifest = {
            "schemaVersion": 2,
            "mediaType": f"{OCI}.manifest.v1+json",
            "config": added(archive, described, "config.v1+json"),
            "layers": [blob("layer.v1.tar", digest, layer.stat().st_size)],
        }
        index = {"schemaVersion": 2, "manifests": [added(archive, manifest, "manifest.v1+json")]}
        add(archive, "index.json", json.dumps(index).encode())
        add(archive, "oci-layout", b'{"imageLayoutVersion": "1.0.0"}')


def added(archive: tarfile.TarFile, value: object, kind: str) -> dict[str, Any]:
    """A blob of JSON put into the archive, as others name it."""
    text = json.dumps(value).encode()
    digest = hashlib.sha256(text).hexdigest()
    add(archive, f"blobs/sha256/{digest}", text)
    return blob(kind, digest, len(text))


def blob(kind: str, digest: str, size: int) -> dict[str, Any]:
    """How others name a blob."""
    return {"mediaType": f"{OCI}.{kind}", "digest": f"sha256:{digest}", "size": size}


def add(archive: tarfile.TarFile, name: str, text: bytes) -> None:
    """Put a file into the archive."""
    member = tarfile.TarInfo(name)
    member.size = len(text)
    archive.addfile(member, io.BytesIO(text))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(f"usage: {sys.argv[0]} IMAGE.tar CONTAINERFILE...")
    main(*sys.argv[1:])
