"""Write the page on how loud the linter is: `python docs/make_loudness.py FOLDER`, over its manifests."""

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median, quantiles

import gpuspec
from gpuspec.report.lint.text import full_report, text_report

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "loudness.md"
WIDTH = 80
SUFFIXES = (".yaml", ".yml")
MANY = 20
"""As many rules are listed."""

HEAD = """# How loud the linter is

<!-- Made by `python docs/make_loudness.py FOLDER`. Do not edit. -->

What a first user reads: each of {files} public manifests was linted by itself, without a profile and without a
configuration, and its report counted at {width} columns. {found} of them have findings; in these, half are at or below
the median, and nine of ten at or below the ninth decile.

| of a file with findings | median | ninth decile | most |
|---|---|---|---|
{sizes}

The aim is 20 lines in the median and 50 at the ninth decile. How they are kept: a finding takes eight lines at most,
what says the same is said once, and infos are counted ([Linting](linting.md#formats)).

| severity | findings | files with one |
|---|---|---|
{severities}

## The rules that speak most

| rule | | severity | findings | files |
|---|---|---|---|---|
{rules}
"""


def text(folder: Path) -> str:
    """The whole page."""
    files = sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES)
    results = [result for result in map(_linted, files) if result.findings]
    brief = [text_report(one, width=WIDTH).count("\n") for one in results]
    spoken = [lines for lines, one in zip(brief, results, strict=True) if _is_loud(one)]
    whole = [full_report(one, width=WIDTH).count("\n") for one in results]
    loud = [one.count("error") + one.count("warning") for one in results]
    return HEAD.format(
        files=len(files),
        found=len(results),
        width=WIDTH,
        sizes="\n".join(
            (
                _row("lines of `text`", *_spread(brief)),
                _row("lines of `text`, where one is no info", *_spread(spoken)),
                _row("lines of `full`", *_spread(whole)),
                _row("errors and warnings", *_spread(loud)),
                _row("findings", *_spread([len(one.findings) for one in results])),
            )
        ),
        severities="\n".join(
            _row(
                severity,
                sum(one.count(severity) for one in results),
                sum(one.count(severity) > 0 for one in results),
            )
            for severity in ("error", "warning", "info")
        ),
        rules="\n".join(_rules(results)),
    )


def _linted(path: Path) -> gpuspec.LintResult:
    return gpuspec.lint_text(path.read_bytes(), path.name)


def _is_loud(result: gpuspec.LintResult) -> bool:
    return any(one.severity != "info" for one in result.findings)


def _spread(numbers: Sequence[int]) -> tuple[int, int, int]:
    """Median, ninth decile and greatest."""
    return round(median(numbers)), round(quantiles(numbers, n=10)[-1]), max(numbers)


def _rules(results: Iterable[gpuspec.LintResult]) -> Iterable[str]:
    findings: Counter[tuple[str, str, str]] = Counter()
    files: Counter[tuple[str, str, str]] = Counter()
    for result in results:
        said = [(one.rule, one.name, one.severity) for one in result.findings]
        findings.update(said)
        files.update({*said})
    for key, count in sorted(findings.items(), key=lambda item: (-item[1], item[0]))[:MANY]:
        yield _row(*key, count, files[key])


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    PAGE.write_text(text(Path(sys.argv[1])), encoding="utf-8")
