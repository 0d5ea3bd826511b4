"""What became of a case from the field: the rules that answer it, for the page that says so."""

import gpuspec
from tests.lint.cases import FOLDER, LOUDNESS, Case

FOUND, SILENT, OPEN = "found", "a trap: silent", "open"


def outcome(case: Case) -> tuple[list[str], str]:
    """Codes of the rules that answer it and are silent on the mended file; and what that comes to."""
    if case.row.get("trap"):
        return [], SILENT if _is_silent(case) else OPEN
    if "line" in case.row:
        rules = _at_lines(case, "inputs") - _at_lines(case, "fixed")
    else:
        rules = _answers(case) - {one.rule for one in case.findings("fixed")}
    if case.text("quiet"):
        rules -= _loud_on_the_twin(case)
    return sorted(rules), FOUND if rules else OPEN


def _answers(case: Case) -> set[str]:
    return {one.rule for one in case.findings("inputs") if case.answers(one)}


def _at_lines(case: Case, which: str) -> set[str]:
    """Rules that speak of the right lines of a file that is no YAML."""
    path = FOLDER / which / f"{case.id}.yaml"
    found = gpuspec.lint(str(path)).findings
    return {one.rule for one in found if one.line in case.row["line"]}


def _loud_on_the_twin(case: Case) -> set[str]:
    ceiling = case.row.get("quiet_ceiling")
    most = -1 if ceiling is None else LOUDNESS.index(ceiling)
    return {one.rule for one in case.findings("quiet") if LOUDNESS.index(one.severity) > most}


def _is_silent(case: Case) -> bool:
    most = case.row["severity"]
    allowed = -1 if most is None else LOUDNESS.index(most)
    folder = FOLDER / "inputs" / case.id
    path = folder if folder.is_dir() else folder.with_suffix(".yaml")
    found = gpuspec.lint(str(path)).findings
    return all(LOUDNESS.index(one.severity) <= allowed for one in found)
