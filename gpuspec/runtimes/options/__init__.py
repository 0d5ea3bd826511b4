"""Command lines of programs: their options by release, and how each program parses its words."""

from gpuspec.runtimes.options.load import beginnings, get, images, names, phrases
from gpuspec.runtimes.options.model import CommandProgram, Option, OptionPair, RefusedValues
from gpuspec.runtimes.options.reading import ParsedOption, Problem, plain, read
from gpuspec.runtimes.options.releases import Releases, holds, releases_of, releases_of_tag

__all__ = [
    "CommandProgram",
    "Option",
    "OptionPair",
    "ParsedOption",
    "Problem",
    "RefusedValues",
    "Releases",
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
