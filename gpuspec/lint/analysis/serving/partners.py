"""Pairs of prefill and decode servers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gpuspec.objects.collection import PodFacts
from gpuspec.objects.transfers import Transfer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpuspec.objects.collection import Collection


class PrefillDecode(msgspec.Struct, frozen=True):
    """Both sides, with their transfer settings."""

    prefill: PodFacts
    decode: PodFacts
    giver: Transfer
    taker: Transfer


def pairs(collection: Collection) -> Iterator[PrefillDecode]:
    """Yield each prefill server with the first decode server of its kind.

    A server that transfers its cache and does not state its side is the decode server for the
    prefill server of the same name.
    """
    takers: dict[object, PodFacts] = {}
    unsaid: dict[object, PodFacts] = {}
    for pod in collection.pods:
        if pod.transfer is not None and pod.transfer.side == "decode":
            takers.setdefault(_key(pod), pod)
        elif pod.transfer is not None and pod.transfer.side is None:
            unsaid.setdefault(_named(pod), pod)
    for pod in collection.pods:
        decode_pod = takers.get(_key(pod)) or unsaid.get(_named(pod))
        giver, taker = pod.transfer, decode_pod.transfer if decode_pod else None
        if giver is None or giver.side != "prefill" or decode_pod is None or taker is None:
            continue
        if giver.server == taker.server:
            yield PrefillDecode(pod, decode_pod, giver, taker)


def _key(pod: PodFacts) -> object:
    """Return the common key of a pair's pods: their object, or the name without the word for the
    side."""
    lowered = pod.name.lower()
    if "prefill" not in lowered and "decode" not in lowered:
        return pod.object
    return _named(pod)


def _named(pod: PodFacts) -> object:
    """Return the name without the word for the side."""
    stem = pod.name.lower().replace("prefill", "").replace("decode", "")
    return pod.file, pod.namespace, stem.strip("-")
