"""Published images without a model server: their user, CPU architecture, shell and tags."""

from gpuspec.runtimes.published.load import DATA, build_of, has_dash, is_of_root, missing_tag
from gpuspec.runtimes.published.model import ArchImages, MissingTag

__all__ = ["DATA", "ArchImages", "MissingTag", "build_of", "has_dash", "is_of_root", "missing_tag"]
