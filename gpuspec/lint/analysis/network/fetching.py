"""Downloads of a pod's containers from outside the cluster at startup.

The commands and their hosts: gpuspec/runtimes/data/common.yaml; git, curl and wget take URLs.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from gpuspec import runtimes
from gpuspec.lint.analysis.network.addresses import PORTS
from gpuspec.lint.analysis.serving.hub import downloads, is_offline
from gpuspec.lint.analysis.serving.servers import server_of
from gpuspec.manifests import Path
from gpuspec.numbers import read_whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.objects.command_line import ArgumentWord
    from gpuspec.objects.containers import PodContainer
    from gpuspec.objects.objects import Pod

_HUB, _OLLAMA, _PYPI = "the hub", "registry.ollama.ai", "pypi.org"
_BY_URL = ("curl", "wget", "clone", "git+")
_ANY = "0.0.0.0"
_REACH = 12
"""The number of words after a command among which its URL is."""
_ENDS = ("&&", "||", ";", "|", "then", "do")
_REDIRECTED = re.compile(
    r"HF_ENDPOINT|(?:HTTPS?|ALL|https?|all)_(?:PROXY|proxy)|PIP_(?:INDEX_URL|NO_INDEX|FIND_LINKS)"
)
"""Variables that lead to another host, or to the host by another way."""
_URL = re.compile(
    r"(?:git\+)?(?P<scheme>https?)://(?P<host>[a-z0-9][-.a-z0-9]*)(?::(?P<port>[0-9]+))?(?:/|$)"
)
_PUBLIC = re.compile(
    r"[-a-z0-9]+\.(?:com|org|net|io|co)|(?:[-a-z0-9]+\.){2,}(?:com|org|net|io|co|ai|dev)"
)
"""Hosts of the internet: of two labels the second may be a namespace, except if it is none's."""


class Download(msgspec.Struct, frozen=True):
    """Something that a container downloads."""

    thing: str
    """In words, with backquotes."""
    source: str
    """The host, in words."""
    port: int
    path: Path


def fetched(pod: Pod) -> Iterator[Download]:
    """Yield what a pod's containers download, as far as their settings show where from."""
    for container in pod.every:
        if "envFrom" in container.value or any(map(_REDIRECTED.fullmatch, container.env)):
            continue
        server = server_of(container)
        model = None if server is None else downloads(container, server)
        if model is not None:
            yield Download(model.name, _HUB, 443, model.path)
        yield from _by_command(container)


def _by_command(container: PodContainer) -> Iterator[Download]:
    words = container.words.all
    hosts = _hosts()
    for at, word in enumerate(words):
        name = word.text.rpartition("/")[2]
        after = words[at + 1 : at + 1 + _REACH]
        source = hosts.get(f"{name} {after[0].text}") if after else None
        if source is not None:
            thing = next((word for word in after[1:] if not word.text.startswith("-")), None)
            if thing is not None and _is_fetched(thing, source, container):
                yield Download(f"`{thing.text}`", source, 443, thing.path)
        elif name in _BY_URL:
            yield from _url(after)


@cache
def _hosts() -> dict[str, str]:
    """Return the host from which a command downloads the word after it."""
    return {row.command: row.host for row in runtimes.common().downloads}


def _is_fetched(thing: ArgumentWord, source: str, container: PodContainer) -> bool:
    """Return whether a word names something of a host, and no file or variable."""
    if thing.text.startswith(("$", "/", ".")) or (source == _HUB and is_offline(container)):
        return False
    if source == _OLLAMA:
        # Another address is that of another pod, which downloads.
        return _ANY in (container.env_value("OLLAMA_HOST") or _ANY)
    return source != _PYPI or container.words.flag("--no-index", "--index-url", "-i") is None


def _url(words: list[ArgumentWord]) -> Iterator[Download]:
    for word in words:
        match = _URL.match(word.text)
        if match and _PUBLIC.fullmatch(match["host"]):
            port = read_whole(match["port"]) if match["port"] else PORTS[match["scheme"]]
            if port:
                yield Download(f"`{word.text}`", match["host"], port, word.path)
        if match or word.text in _ENDS:
            return
