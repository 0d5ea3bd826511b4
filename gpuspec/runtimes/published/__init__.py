"""Published images without a model server: their user and their CPU architecture."""

from gpuspec.runtimes.published.load import DATA, build_of, is_of_root
from gpuspec.runtimes.published.model import ArchImages

__all__ = ["DATA", "ArchImages", "build_of", "is_of_root"]
