"""What programs' command lines are: their options by release, and how each takes its words apart."""

from gpuspec.runtimes.options.load import beginnings, get, images, names, phrases
from gpuspec.runtimes.options.model import Option, Pair, Program, Refused
from gpuspec.runtimes.options.reading import Problem, Told, plain, read
from gpuspec.runtimes.options.releases import Releases, holds, releases_of, releases_of_tag

__all__ = [
    "Option",
    "Pair",
    "Problem",
    "Program",
    "Refused",
    "Releases",
    "Told",
    "beginnings",
    "get",
    "holds",
    "images",
    "names",
    "phrases",
    "plain",
    "read",
    "releases_of",
    "releases_of_tag",
]
