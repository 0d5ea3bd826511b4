"""What is known of products: settings that contradict one another, and which driver images need."""

from gpuspec.products.conditions import Spot, met
from gpuspec.products.cuda import build_of, is_older
from gpuspec.products.load import DATA, contradictions_of
from gpuspec.products.model import Condition, Contradiction

__all__ = [
    "DATA",
    "Condition",
    "Contradiction",
    "Spot",
    "build_of",
    "contradictions_of",
    "is_older",
    "met",
]
