"""What models are: their size, how they are stored, and what they need of a GPU's memory."""

from gpuspec.models.names import Named, read_name
from gpuspec.models.precision import Precision, precisions

__all__ = ["Named", "Precision", "precisions", "read_name"]
