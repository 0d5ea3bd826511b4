"""The reports that a command line asks for: `--format sarif -o out.sarif --format text`."""

from collections.abc import Iterable, Iterator

from gpuspec.cli.suggestions import choice

OUTPUT = ("-o", "--output")
FORMAT = "--format"
DEFAULT = "text"

Report = tuple[str, str | None]
"""A format and its file; None for stdout."""


def wanted_reports(words: Iterable[str]) -> list[Report]:
    """Return the reports that the words of a command line ask for.

    An `-o` belongs to the `--format` before it, or else to the next one. Raises `InputError` for
    two formats in one file, and for two files of one format.
    """
    from gpuspec import InputError, Problem
    from gpuspec.report.lint import FORMATS

    reports: list[Report] = []
    waiting: str | None = None
    problems: list[Problem] = []
    for option, value in _options(words):
        if option == FORMAT:
            reports.append((value, waiting))
            waiting = None
        elif reports and reports[-1][1] is None:
            reports[-1] = reports[-1][0], value
        elif reports or waiting is not None:
            hint = (
                "each -o belongs to the --format before it: --format sarif -o a.sarif --format json"
            )
            problems.append(Problem(f"-o {value} has no --format", hint=hint))
        else:
            waiting = value
    for format, _ in reports:
        if format not in FORMATS:
            hint = _several(format.split(",")) if "," in format else choice(format, FORMATS)
            problems.append(Problem(f"--format {format}: unknown format", hint=hint))
    if not reports:
        reports = [(DEFAULT, waiting)]
    places = [place for _, place in reports]
    for place in dict.fromkeys(places):
        if places.count(place) > 1:
            names = " and ".join(name for name, other_place in reports if other_place == place)
            where = "standard output" if place is None else place
            hint = "write each format to its own file: --format sarif -o out.sarif"
            problems.append(Problem(f"{names} in one output, {where}", hint=hint))
    if problems:
        raise InputError(problems)
    return reports


def _several(formats: list[str]) -> str:
    """Return how to write several formats that were given as one value."""
    first, *others = [format_name.strip() for format_name in formats]
    rest = "".join(f" --format {format_name}" for format_name in others)
    return f"give each its own --format, all but one with a file: --format {first} -o FILE{rest}"


def _options(words: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield `--format` and `-o` with their values, in their order."""
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if word == "--":
            return
        if equals and name in (FORMAT, "--output"):
            yield FORMAT if name == FORMAT else "-o", value
        elif word == FORMAT:
            yield FORMAT, next(rest, "")
        elif word in OUTPUT:
            yield "-o", next(rest, "")
        elif word.startswith("-o"):
            yield "-o", word[2:]
