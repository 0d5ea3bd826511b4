"""A prefill and a decode server that cannot hand the cache from one to the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from gpuspec import runtimes
from gpuspec.lint.analysis.serving.partners import PrefillDecode, pairs
from gpuspec.lint.context import Context
from gpuspec.lint.model import Confidence, RawFinding, RelatedPlace, Rule
from gpuspec.models import known_model
from gpuspec.numbers import read_whole
from gpuspec.objects.collection import Collection, PodFacts
from gpuspec.objects.transfers import BACKEND, CONFIG

if TYPE_CHECKING:
    from gpuspec.manifests import Path

RULE = Rule(
    "GPU819",
    "partners-differ",
    "warning",
    "A prefill and a decode server have incompatible KV cache settings",
)
_TENSOR = "--tensor-parallel-size"
_HASHED = ("--dtype", "--kv-cache-dtype")
_HASHES = (0, 13, 0)
"""The first release of vLLM whose servers refuse a partner of another release."""
_KSERVE = "serving.kserve.io"
_WRONG = {"prefill": "kv_consumer", "decode": "kv_producer"}


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Yield each prefill server and the first decode server of its kind."""
    for pair in pairs(collection):
        finding = next(_differences(pair), None)
        if finding is not None:
            yield finding


def _differences(pair: PrefillDecode) -> Iterator[RawFinding]:
    giver, taker = pair.giver, pair.taker
    if giver.server == "sglang":
        yield from _told(pair, BACKEND, "mooncake", "the decode server never gets the cache")
    else:
        yield from _connectors(pair)
        yield from _roles(pair)
    yield from _models(pair)
    if any("Nixl" in name for name in giver.connectors & taker.connectors):
        yield from _tensors(pair)
        for option in _HASHED:
            yield from _told(
                pair, option, None, "each server rejects the other, and the transfer fails"
            )
        yield from _releases(pair)


def _connectors(pair: PrefillDecode) -> Iterator[RawFinding]:
    giver, taker = pair.giver, pair.taker
    if giver.connectors and taker.connectors and not giver.connectors & taker.connectors:
        connector, taker_connector = min(giver.connectors), min(taker.connectors)
        yield _found(
            pair,
            taker.told[CONFIG][1],
            f"the decode server receives the cache by {taker_connector}, but the prefill server sends it "
            f"by {connector}: the cache is never transferred",
        )
    # KServe's own templates tell what is not written.
    if pair.decode.api_version.startswith(_KSERVE) or bool(giver.connectors) is bool(
        taker.connectors
    ):
        return
    if giver.connectors:
        yield _found(
            pair,
            taker.path,
            "the prefill server sends its cache, but the decode server has no "
            "`--kv-transfer-config`: the decode server computes each prompt again",
        )


def _roles(pair: PrefillDecode) -> Iterator[RawFinding]:
    for side, transfer, pod in (
        ("prefill", pair.giver, pair.prefill),
        ("decode", pair.taker, pair.decode),
    ):
        if transfer.role == _WRONG[side]:
            right = _WRONG["decode" if side == "prefill" else "prefill"]
            yield _found(
                pair,
                transfer.told[CONFIG][1],
                f"the {side} server has `{transfer.role}`, the role of the other side (its own "
                f"role is `{right}`): the cache is never transferred",
                pod,
            )


def _models(pair: PrefillDecode) -> Iterator[RawFinding]:
    """Yield models of other names, by the last part of each."""
    giver_model, taker_model = (
        transfer.told.get("--model") for transfer in (pair.giver, pair.taker)
    )
    if giver_model is None or taker_model is None or "$" in giver_model[0] + taker_model[0]:
        return
    names = [
        model_and_path[0].rstrip("/").rpartition("/")[2].lower()
        for model_and_path in (giver_model, taker_model)
    ]
    if names[0] != names[1]:
        yield _found(
            pair,
            taker_model[1],
            f"the decode server runs {taker_model[0]}, but the prefill server {giver_model[0]}: one model "
            "cannot use the other's cache",
        )


def _tensors(pair: PrefillDecode) -> Iterator[RawFinding]:
    sizes = []
    for transfer in (pair.giver, pair.taker):
        size_text = transfer.told.get(_TENSOR, ("1", ()))[0]
        sizes.append(read_whole(size_text))
    wide, narrow = sizes
    if wide is None or narrow is None or wide <= narrow:
        return
    then = _fewer(pair, wide)
    if then is not None:
        words, confidence = then
        finding = _found(
            pair,
            pair.giver.told[_TENSOR][1],
            f"prefill divides the model over {wide} GPUs, decode over {narrow}: "
            f"NixlConnector {words}",
            pair.prefill,
            note="use at most the decode server's tensor-parallel size for prefill",
        )
        yield replace(finding, confidence=confidence)


def _fewer(pair: PrefillDecode, wide: int) -> tuple[str, Confidence] | None:
    """Return the consequence of sending a cache to fewer GPUs; None if that works."""
    if not _narrows(pair.taker.image):
        words = "cannot transfer most models' cache to fewer GPUs, and the transfer fails"
        return words, "likely"
    name = pair.giver.told.get("--model", ("", ()))[0]
    model = known_model(name)
    heads = None if model is None else model.heads
    if heads is None:
        words = (
            "can transfer a cache to fewer GPUs only if the model has more key-value heads than "
            "prefill has GPUs; otherwise the transfer fails"
        )
        return words, "possible"
    if heads == 0 or heads > wide:
        return None
    words = (
        f"needs more than {wide} key-value heads for this, but `{name}` has {heads}: the "
        "transfer fails"
    )
    # Later releases need no more heads than GPUs.
    return words, "likely" if heads < wide else "possible"


def _narrows(image: str) -> bool:
    """Return whether the release is one that knows of decode servers that are divided by less."""
    disaggregation = runtimes.get("vllm").disaggregation
    nixl = disaggregation.connector("nixl") if disaggregation else None
    since = nixl.narrows_since if nixl else None
    # Images of others count releases of their own.
    if since is None or runtimes.recognise(image) != "vllm":
        return False
    return runtimes.at_least(image, since) is True


def _told(pair: PrefillDecode, option: str, default: str | None, then: str) -> Iterator[RawFinding]:
    """Yield an option whose values must be equal on both sides."""
    giver_option, taker_option = (
        transfer.told.get(option) for transfer in (pair.giver, pair.taker)
    )
    values = [
        option_and_path[0] if option_and_path else default
        for option_and_path in (giver_option, taker_option)
    ]
    if None in values or values[0] == values[1] or "$" in "".join(map(str, values)):
        return
    transfer, pod = (pair.taker, pair.decode) if taker_option else (pair.giver, pair.prefill)
    yield _found(
        pair,
        transfer.told[option][1],
        f"`{option}` is {values[0]} for the prefill server but {values[1]} for the "
        f"decode server: {then}",
        pod,
    )


def _releases(pair: PrefillDecode) -> Iterator[RawFinding]:
    giver_release, taker_release = (
        runtimes.version(transfer.image) for transfer in (pair.giver, pair.taker)
    )
    are_known = all(
        runtimes.recognise(transfer.image) == "vllm" for transfer in (pair.giver, pair.taker)
    )
    if (
        are_known
        and giver_release
        and taker_release
        and giver_release != taker_release
        and max(giver_release, taker_release) >= _HASHES
    ):
        names = [".".join(map(str, release)) for release in (giver_release, taker_release)]
        yield _found(
            pair,
            pair.taker.path,
            f"the prefill server is vLLM {names[0]}, the decode server {names[1]}: each rejects "
            "a partner of another release, and the transfer fails",
        )


def _found(
    pair: PrefillDecode,
    path: Path,
    message: str,
    pod: PodFacts | None = None,
    note: str | None = None,
) -> RawFinding:
    finding_pod = pod or pair.decode
    facts = pair.prefill if finding_pod is pair.decode else pair.decode
    return RawFinding(
        path,
        message,
        note=note or "set the same value for the prefill and the decode server",
        confidence="likely",
        object=finding_pod.object,
        related=(RelatedPlace(facts.object, facts.path, "the other side"),),
    )
