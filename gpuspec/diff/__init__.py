"""Compare two sets of specs and objects: by object, by field, by consequence."""

from gpuspec.diff.compare import compare
from gpuspec.diff.model import (
    LEVELS,
    Amount,
    ChangeRange,
    ChangeRemark,
    Diff,
    Effect,
    Field,
    Level,
    ObjectChange,
    OwnedField,
    PodUse,
    Side,
    SideObject,
    SpecChange,
    Total,
    WrittenSpec,
)
from gpuspec.diff.revisions import Checkout, checkout, is_revision

__all__ = [
    "LEVELS",
    "Amount",
    "ChangeRange",
    "ChangeRemark",
    "Checkout",
    "Diff",
    "Effect",
    "Field",
    "Level",
    "ObjectChange",
    "OwnedField",
    "PodUse",
    "Side",
    "SideObject",
    "SpecChange",
    "Total",
    "WrittenSpec",
    "checkout",
    "compare",
    "is_revision",
]
