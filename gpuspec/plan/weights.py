"""What is taken for the weights where the spec does not say their size, and what is said of it."""

from gpuspec.plan.case import Case
from gpuspec.plan.hub import downloads
from gpuspec.plan.leaf import Note, Origin
from gpuspec.plan.words import gib

_ORIGIN = Origin("derived", row="weights")


def notes(case: Case) -> list[Note]:
    """A loud word for a size that is assumed, and for one that nothing tells."""
    if case.model is None or case.model[1].size is not None:
        return []
    weights, field = case.weights, ".".join(map(str, case.model[0][1:]))
    if weights is not None:
        text = f"{field}.size is taken to be {gib(weights.most)}: {weights.words}"
        return [Note(text, _ORIGIN, loud=True)]
    if not downloads(case):
        return []
    text = (
        f"nothing says how big the weights are that are downloaded onto the node's disk: where they "
        f"outgrow the pod's scratch, it is evicted; write {field}.size"
    )
    return [Note(text, _ORIGIN, loud=True)]
