"""Write the page on how much the linter reports: `python docs/make_loudness.py FOLDER`, over its manifests."""

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
"""How many rules are listed."""

HEAD = """# How much the linter reports

<!-- Made by `python docs/make_loudness.py FOLDER`. Do not edit. -->

This page shows how much a new user reads. Each of {files} public manifests was linted by itself, without a profile or a
configuration, and the lines of its report were counted at {width} columns. {found} manifests have findings. Of these, half
are at or below the median, and nine of ten are at or below the ninth decile.

| per file with findings | median | ninth decile | most |
|---|---|---|---|
{sizes}

The goal is 20 lines at the median and 50 lines at the ninth decile. So a finding takes at most eight lines, findings that
say the same are printed once, and infos are only counted ([Linting](linting.md#formats)).

| severity | findings | files |
|---|---|---|
{severities}

## The most frequent rules

| rule | | severity | findings | files |
|---|---|---|---|---|
{rules}
"""


def text(folder: Path) -> str:
    """Return the whole page."""
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
                _row("lines of `text`, files with an error or a warning", *_spread(spoken)),
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
    """Return median, ninth decile and maximum."""
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
