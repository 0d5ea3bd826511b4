"""The version of gpuspec, in one place and free to import."""

__version__ = "0.1.0"
