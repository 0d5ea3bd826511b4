"""Published images that carry no model server: their user, and the CPU architecture they are built for."""

from gpuspec.runtimes.published.load import DATA, build_of, is_of_root
from gpuspec.runtimes.published.model import Build

__all__ = ["DATA", "Build", "build_of", "is_of_root"]
