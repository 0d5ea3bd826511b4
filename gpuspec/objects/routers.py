"""The prefill servers on a router's command line."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from gpuspec.manifests import Path
from gpuspec.objects.transfers import Server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.objects.command_line import CommandLine
    from gpuspec.objects.objects import Pod

_SGLANG = "--pd-disaggregation"
_VLLM = "--vllm-pd-disaggregation"
_CONNECTOR = "--kv-connector"
_MOONCAKE = "mooncake"
_PREFILL = "--prefill"


class PrefillAddress(msgspec.Struct, frozen=True):
    """One address of a prefill server."""

    host: str
    server: Server
    path: Path
    """The path of the word that contains it."""


def prefill_of(pod: Pod) -> tuple[PrefillAddress, ...]:
    """Return the prefill servers whose addresses a router passes to decode servers; empty for any
    other pod."""
    return tuple(
        prefill_address
        for container in pod.containers
        if (server := _hands_on(container.words)) is not None
        for prefill_address in _asked([(word.text, word.path) for word in container.words], server)
    )


def _hands_on(words: CommandLine) -> Server | None:
    """Return whose router a command line starts; None if it is no router, or its prefill servers
    report their own address."""
    if words.flag(_SGLANG) is not None:
        return "sglang"
    by_name = words.flag(_VLLM) is not None and words.value(_CONNECTOR) == _MOONCAKE
    return "vllm" if by_name else None


def _asked(words: list[tuple[str, Path]], server: Server) -> Iterator[PrefillAddress]:
    for (option, _), (url, path) in pairwise(words):
        if option == _PREFILL and "$" not in url:
            try:
                host = urlsplit(url).hostname
            except ValueError:
                continue  # no address, and not ours to judge
            if host is not None:
                yield PrefillAddress(host, server, path)
