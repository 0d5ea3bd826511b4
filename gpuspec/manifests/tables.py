"""The shipped tables, written in YAML."""

from typing import Any

from gpuspec.manifests.digests import sha256
from gpuspec.manifests.reader import read
from gpuspec.startup.prebuilt import made_of


def table(folder: str, name: str) -> Any:
    """Return the plain data of `<name>.yaml` in a folder."""
    with open(f"{folder}/{name}.yaml", "rb") as file:
        text = file.read()
    prepared = made_of(made_name(folder, name), sha256(text))
    return parsed(text, name) if prepared is None else prepared


def parsed(text: bytes, name: str) -> Any:
    """Return the plain data of a table's text."""
    return read(text, name)[0].value


def made_name(folder: str, name: str) -> str:
    """Return the name of the prebuilt table: its package's and its own."""
    return f"tables/{folder.split('/')[-2]}/{name}"
