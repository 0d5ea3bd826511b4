"""What is known of products: settings of theirs that contradict one another."""

from gpuspec.products.conditions import Spot, met
from gpuspec.products.load import DATA, contradictions_of
from gpuspec.products.model import Condition, Contradiction

__all__ = ["DATA", "Condition", "Contradiction", "Spot", "contradictions_of", "met"]
