"""Two sets of specs and objects compared in people's terms: by object, by field, by consequence."""

from gpuspec.diff.compare import compare
from gpuspec.diff.model import (
    LEVELS,
    Amount,
    Change,
    Diff,
    Effect,
    Field,
    Level,
    Owned,
    Pod,
    Remark,
    Side,
    Span,
    SpecChange,
    Thing,
    Total,
    Written,
)
from gpuspec.diff.revisions import Checkout, checkout, is_revision

__all__ = [
    "LEVELS",
    "Amount",
    "Change",
    "Checkout",
    "Diff",
    "Effect",
    "Field",
    "Level",
    "Owned",
    "Pod",
    "Remark",
    "Side",
    "Span",
    "SpecChange",
    "Thing",
    "Total",
    "Written",
    "checkout",
    "compare",
    "is_revision",
]
