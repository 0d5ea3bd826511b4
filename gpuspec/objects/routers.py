"""What a router is told of the prefill servers before which it stands."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from gpuspec.manifests import Path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.objects.objects import Pod

_MODE = "--pd-disaggregation"
"""SGLang's; vLLM's calls it otherwise."""
_PREFILL = "--prefill"


class Asked(msgspec.Struct, frozen=True):
    """One address of a prefill server."""

    host: str
    path: Path
    """The word that says it."""


def prefill_of(pod: Pod) -> tuple[Asked, ...]:
    """The prefill servers that a router of SGLang's is told of; empty for every other pod."""
    return tuple(
        asked
        for one in pod.containers
        if one.words.flag(_MODE) is not None
        for asked in _asked([(word.text, word.path) for word in one.words])
    )


def _asked(words: list[tuple[str, Path]]) -> Iterator[Asked]:
    for (option, _), (url, path) in pairwise(words):
        if option == _PREFILL and "$" not in url:
            try:
                host = urlsplit(url).hostname
            except ValueError:
                continue  # no address, and not ours to judge
            if host is not None:
                yield Asked(host, path)
