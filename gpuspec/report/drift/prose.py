"""Shared text of the formats for people: sentences and counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from gpuspec.enumeration import counted

if TYPE_CHECKING:
    from gpuspec.drift import Difference, Drift, DriftRemark, Unseen

NAMED = 3
"""The most nodes named in a sentence; the others are counted, and JSON has all."""
SIGNS: dict[str, Literal["-", "+", "~"]] = {"missing": "-", "unasked": "+", "different": "~"}
_WORDS = {"missing": "missing", "different": "different", "unasked": "unexpected"}
LEGEND = "expected → actual"


def sentence(remark: DriftRemark) -> str:
    """Return `node gpu-07: 7 of 8 nvidia.com/gpu can be allocated`."""
    if not remark.nodes:
        return remark.text
    rest = len(remark.nodes) - NAMED
    shown = ", ".join(remark.nodes[:NAMED]) + (f" and {rest:,} more" if rest > 0 else "")
    return f"{'node' if len(remark.nodes) == 1 else 'nodes'} {shown}: {remark.text}"


def unseen(drift: Drift) -> list[str]:
    """Return the kinds that are missing in the dump, with the command that lists them; empty if
    none is missing."""
    if not drift.unseen:
        return []
    sentences = [f"not in the dump: {_missing(kind)}" for kind in drift.unseen]
    it = "it" if len(sentences) == 1 else "them"
    return [*sentences, f"add {it} to the dump: kubectl get {ask(drift)} -A -o json"]


def ask(drift: Drift) -> str:
    """Return the kinds to add to `kubectl get`."""
    return ",".join(kind.ask for kind in drift.unseen)


def _missing(kind: Unseen) -> str:
    """Return `ResourceQuota research/gpuspec, serving/gpuspec and 2 more`."""
    rest = len(kind.names) - NAMED
    names = ", ".join(kind.names[:NAMED]) + (f" and {rest:,} more" if rest > 0 else "")
    return f"{kind.kind} {names}".rstrip()


def summary(drift: Drift) -> str:
    """Return `1 missing, 2 different; compared: 3 pools, 34 nodes, 20 objects; 1 kind not in the
    dump`."""
    hows = [difference.how for difference in drift.differences]
    parts = [", ".join(f"{hows.count(how)} {word}" for how, word in _WORDS.items() if how in hows)]
    if not hows:
        parts = ["no drift"]
    compared = [
        counted(count, word)
        for count, word in ((drift.pools, "pool"), (drift.nodes, "node"), (drift.objects, "object"))
        if count
    ]
    if compared:
        parts.append(f"compared: {', '.join(compared)}")
    if drift.unseen:
        parts.append(f"{counted(len(drift.unseen), 'kind')} not in the dump")
    return "; ".join(parts)


def has_fields(differences: tuple[Difference, ...]) -> bool:
    """Return whether any difference shows fields."""
    return any(difference.fields for difference in differences)
