"""What is known of products: settings that contradict one another, what charts bring, which driver
images need, what is wrong with releases."""

from gpuspec.products.conditions import Spot, met
from gpuspec.products.cuda import build_of, is_older
from gpuspec.products.load import DATA, charts, contradictions_of, faults
from gpuspec.products.model import Brought, Condition, Contradiction, Fault, InstallingChart

__all__ = [
    "DATA",
    "Brought",
    "Condition",
    "Contradiction",
    "Fault",
    "InstallingChart",
    "Spot",
    "build_of",
    "charts",
    "contradictions_of",
    "faults",
    "is_older",
    "met",
]
