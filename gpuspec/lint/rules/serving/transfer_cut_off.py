"""NetworkPolicies that keep a decode server from the prefill server whose cache it takes."""

from __future__ import annotations

from collections.abc import Iterator

from gpuspec.lint.analysis.gangs.policies import Direction, PolicySelection, isolating, passed
from gpuspec.lint.analysis.serving.partners import PrefillDecode, pairs
from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, RelatedPlace, Rule
from gpuspec.objects.collection import Collection, PodFacts
from gpuspec.objects.transfers import Transfer

RULE = Rule(
    "GPU428",
    "transfer-cut-off",
    "warning",
    "A NetworkPolicy blocks a decode server from its prefill server",
)
_FIELD: dict[Direction, str] = {"Ingress": "ingress", "Egress": "egress"}


def check(collection: Collection, context: Context) -> Iterator[RawFinding]:
    """Pairs of which both are as they are written, and policies that let nothing between them."""
    for pair in pairs(collection):
        if not (pair.prefill.traits.as_written and pair.decode.traits.as_written):
            continue
        if not _asks(pair.giver) or not _asks(pair.taker):
            continue
        finding = next(_closed(pair, collection), None)
        if finding is not None:
            yield finding


def _asks(transfer: Transfer) -> bool:
    """Return whether decode opens the connection, as all known ways do but one that is pushed."""
    if transfer.server == "sglang":
        return True
    return any("Nixl" in name or "Mooncake" in name for name in transfer.connectors)


def _closed(pair: PrefillDecode, collection: Collection) -> Iterator[RawFinding]:
    sides: tuple[tuple[PodFacts, PodFacts, Direction, str], ...] = (
        (
            pair.prefill,
            pair.decode,
            "Ingress",
            "`from` has the labels of the decode server",
        ),
        (
            pair.decode,
            pair.prefill,
            "Egress",
            "`to` has the labels of the prefill server",
        ),
    )
    for target, opposite, direction, peer in sides:
        selected = _selected(target)
        policies = isolating(selected, direction, collection)
        if policies and passed(selected, _selected(opposite), direction, collection) == "none":
            policy = policies[0]
            yield RawFinding(
                policy.path("spec", _FIELD[direction]),
                (
                    "the policy blocks the decode server from the prefill server, whose cache it fetches: "
                    "each prompt is computed twice, or fails"
                ),
                note=f"add to `{_FIELD[direction]}` an entry whose {peer}, without `ports`, because "
                "transfers use random ports",
                object=policy.number,
                confidence="likely",
                related=(
                    RelatedPlace(pair.prefill.object, pair.prefill.path, "the prefill server"),
                    RelatedPlace(pair.decode.object, pair.decode.path, "the decode server"),
                ),
            )


def _selected(pod: PodFacts) -> PolicySelection:
    return PolicySelection(pod.namespace, pod.labels)
