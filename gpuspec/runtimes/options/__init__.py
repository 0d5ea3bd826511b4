"""Command lines of programs: their options by release, and how each program parses its words."""

from gpuspec.runtimes.options.line_settings import LineSettings, settings_of
from gpuspec.runtimes.options.load import beginnings, get, images, names, phrases
from gpuspec.runtimes.options.members import WrongMember, wrong_members
from gpuspec.runtimes.options.model import CommandProgram, Option, OptionPair
from gpuspec.runtimes.options.reading import ParsedOption, Problem, plain, read
from gpuspec.runtimes.options.refusals import UnknownValue, rows_met, unknown_values
from gpuspec.runtimes.options.releases import Releases, holds, releases_of, releases_of_tag

__all__ = [
    "CommandProgram",
    "LineSettings",
    "Option",
    "OptionPair",
    "ParsedOption",
    "Problem",
    "Releases",
    "UnknownValue",
    "WrongMember",
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
    "rows_met",
    "settings_of",
    "unknown_values",
    "wrong_members",
]
