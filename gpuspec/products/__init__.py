"""What is known of products: settings that contradict one another, what charts bring, which driver
images need."""

from gpuspec.products.conditions import Spot, met
from gpuspec.products.cuda import build_of, is_older
from gpuspec.products.load import DATA, charts, contradictions_of
from gpuspec.products.model import Brought, Chart, Condition, Contradiction

__all__ = [
    "DATA",
    "Brought",
    "Chart",
    "Condition",
    "Contradiction",
    "Spot",
    "build_of",
    "charts",
    "contradictions_of",
    "is_older",
    "met",
]
