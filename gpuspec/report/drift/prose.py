"""What the formats for people have in common: sentences and sums."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from gpuspec.report.lint.finding_text import counted

if TYPE_CHECKING:
    from gpuspec.drift import Difference, Drift, DriftRemark, Unseen

NAMED = 3
"""So many nodes are named, the others counted; JSON has them all."""
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
    """Return the kinds that are not in the dump, and how to ask for them; nothing where there are
    none."""
    if not drift.unseen:
        return []
    said = [f"not in the dump: {_missing(one)}" for one in drift.unseen]
    it = "it" if len(said) == 1 else "them"
    return [*said, f"add {it} to the dump: kubectl get {ask(drift)} -A -o json"]


def ask(drift: Drift) -> str:
    """Return what `kubectl get` has to be asked for beside what is in the dump."""
    return ",".join(one.ask for one in drift.unseen)


def _missing(one: Unseen) -> str:
    """Return `ResourceQuota research/gpuspec, serving/gpuspec and 2 more`."""
    rest = len(one.names) - NAMED
    names = ", ".join(one.names[:NAMED]) + (f" and {rest:,} more" if rest > 0 else "")
    return f"{one.kind} {names}".rstrip()


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
    """Return whether any field is shown."""
    return any(difference.fields for difference in differences)
