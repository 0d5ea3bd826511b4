"""`gpuspec rule` and `gpuspec rules`: a rule's page, and the table of all rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuspec.escaping.markdown import prose
from gpuspec.report.columns import columns
from gpuspec.report.ink import BOLD, DIM, fold, paint
from gpuspec.report.lint.summary import STYLES
from gpuspec.report.markdown import terminal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpuspec.lint.model import Rule

GAP = "  "


def rule_text(rule: Rule, page: str, *, width: int | None = None, color: bool = False) -> str:
    """Return a rule's page for a terminal, below the rule's code and name."""
    code = paint(rule.code, BOLD, STYLES[rule.severity], on=color)
    head = f"{code} {paint(rule.name, BOLD, on=color)} ({', '.join(_facts(rule))})"
    # The page's own title is the rule's name again.
    body = page.partition("\n")[2] if page.startswith("# ") else page
    title = [*fold(rule.title, width), *(fold(_fixing(rule), width) if rule.fix else [])]
    return "\n".join([head, *title, "", *terminal(body.strip(), width, color=color)]) + "\n"


def rule_markdown(rule: Rule, page: str) -> str:
    """Return a rule's page as written, with the code in its title."""
    body = page.partition("\n")[2] if page.startswith("# ") else page
    facts = ", ".join(_facts(rule))
    return f"# {rule.code} {rule.name}\n\n{rule.title} ({facts}).\n\n{body.strip()}\n"


def rule_json(rule: Rule, page: str) -> dict[str, Any]:
    """Return a rule and its page as plain data."""
    return {**_plain(rule), "page": page}


def rules_text(rules: Iterable[Rule], *, width: int | None = None, color: bool = False) -> str:
    """Return code, name, severity, fix and title of each rule; on narrow terminals the title has
    its own line."""
    rule_list = list(rules)
    sizes = [max((columns(cell) for cell in column), default=0) for column in _columns(rule_list)]
    size = sum(sizes) + len(GAP) * len(sizes)
    longest = max((columns(rule.title) for rule in rule_list), default=0)
    below = width is not None and size + longest > width
    lines: list[str] = []
    for rule in rule_list:
        cells = [f"{cell:<{size}}" for cell, size in zip(_cells(rule), sizes, strict=True)]
        cells[0] = paint(cells[0], BOLD, on=color)
        cells[2] = paint(cells[2], STYLES[rule.severity], on=color)
        if below:
            margin = " " * (sizes[0] + len(GAP))
            lines.append(GAP.join(cells).rstrip())
            lines += (
                paint(line, DIM, on=color) for line in fold(rule.title, width, margin, margin)
            )
        else:
            lines.append(GAP.join([*cells, rule.title]))
    return "\n".join(lines) + "\n"


def rules_markdown(rules: Iterable[Rule]) -> str:
    """Return the table as Markdown."""
    lines = ["| Code | Name | Severity | Fix | What is wrong |", "|---|---|---|---|---|"]
    lines += (f"| {' | '.join((*_cells(rule), prose(rule.title)))} |" for rule in rules)
    return "\n".join(lines) + "\n"


def rules_json(rules: Iterable[Rule]) -> list[dict[str, Any]]:
    """Return the table as plain data."""
    return [_plain(rule) for rule in rules]


def _plain(rule: Rule) -> dict[str, Any]:
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity,
        "title": rule.title,
        "fix": rule.fix,
        "gives_way": list(rule.gives_way),
    }


def _cells(rule: Rule) -> tuple[str, str, str, str]:
    return rule.code, rule.name, rule.severity, rule.fix or "-"


def _columns(rules: list[Rule]) -> Iterable[tuple[str, ...]]:
    return zip(*map(_cells, rules), strict=True)


def _facts(rule: Rule) -> list[str]:
    """Return severity and fix."""
    fixes = {"safe": "safe fix", "unsafe": "unsafe fix", "both": "safe and unsafe fixes"}
    return [rule.severity, *([fixes[rule.fix]] if rule.fix else [])]


def _fixing(rule: Rule) -> str:
    """Return the option that makes the rule's fixes, and its meaning; empty without fixes."""
    safe = "`--fix` applies a safe fix: the intent is provable."
    unsafe = "`--unsafe-fixes` applies an unsafe one, which changes what runs: review it first."
    match rule.fix:
        case "safe":
            return safe
        case "unsafe":
            return "`--unsafe-fixes` applies its fix, which changes what runs: review it first."
        case "both":
            return f"{safe} {unsafe}"
        case _:
            return ""
