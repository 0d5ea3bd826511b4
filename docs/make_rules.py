"""Write the pages of the linter's rules, and of the cases they answer: `python docs/make_rules.py`.

`rules.md` is made from the table of rules, their pages, and `rates.yaml`; `cases.md` from `tests/field`.
"""

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import yaml

from gpuspec.lint.model import Rule
from gpuspec.lint.registry import load
from gpuspec.lint.rows import ROWS

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "rules.md"
CASES = ROOT / "docs" / "cases.md"
RATES: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "docs" / "rates.yaml").read_text())
MODULES = {row.code: row.module for row in ROWS}
SHOWN = ("What", "Why on a GPU cluster", "When to suppress")
FIXES = {None: "–", "safe": "safe", "unsafe": "unsafe", "both": "safe, unsafe"}

HEAD = """# Rules of the linter

<!-- Made by docs/make_rules.py from the rules, their pages and docs/rates.yaml. Do not edit. -->

`error`: the object is refused, stays Pending or fails. `warning`: it does damage. `info`: good to know. The table shows
the highest severity of each rule. Without certainty, above all without a cluster profile, a rule reports a lower one. A
fix is *safe* if it is provably what the author meant. [Linting](linting.md) explains how to select rules and suppress
findings; `gpuspec rule GPU102` prints a rule's whole page. Rules are grouped by subject; a code tells the order in which
rules were added, and never changes.

*How often*: the share of 880 public manifests with accelerators that have the fault (November 2026; samples of vendors,
clouds and projects). *At most* means that the count includes everything that looks like the fault, and the rule checks
more closely. A common pattern of good manifests must not have a high severity.
"""
CASES_HEAD = """# Cases from the field

<!-- Made by docs/make_rules.py. Do not edit. -->

This page lists public reports of GPU workloads that failed because of their manifests, each reduced to a small
manifest with the fault. A case is *found* if a rule reports it at the fault's place, with at most the right
severity. The rule must be silent on the same manifest with the smallest right change, and on a near twin without
the fault, if there is one. The cases are in `tests/field/`, and `tests/lint/test_cases.py` checks all of this.
"""


def text() -> str:
    """The whole page of rules."""
    lines = [HEAD]
    families: dict[str, list[Rule]] = {}
    for row in ROWS:
        families.setdefault(row.family, []).append(load(row).rule)
    for family, rules in families.items():
        title = (import_module(f"gpuspec.lint.rules.{family}").__doc__ or "").rstrip(".")
        lines += [f"## {title}", "", *_table(rules), ""]
        for one in rules:
            lines += _section(one)
    return "\n".join(lines).rstrip("\n") + "\n"


def _table(rules: list[Rule]) -> Iterator[str]:
    yield "| code | name | severity | fix | what is wrong | how often |"
    yield "|---|---|---|---|---|---|"
    for rule in rules:
        cells = (f"[{rule.code}](#{rule.code.lower()})", rule.name, rule.severity)
        yield f"| {' | '.join((*cells, FIXES[rule.fix], rule.title, _rate(rule)))} |"


def _rate(rule: Rule) -> str:
    """How often it occurs, and how loud the rule is then."""
    rate = RATES.get(rule.code)
    if rate is None:
        return "–"
    most = "at most " if rate.get("wider") else ""
    level = f" ({rate['level']})" if "level" in rate else ""
    return f"{most}{rate['share']}% of {rate['of']}{level}"


def _section(rule: Rule) -> Iterator[str]:
    path = f"gpuspec/lint/rules/{MODULES[rule.code].replace('.', '/')}.md"
    parts = dict(_parts((ROOT / path).read_text()))
    yield f"### {rule.code}"
    yield ""
    yield f"**{rule.name}**. {parts['What']}"
    yield ""
    yield f"*Why on a GPU cluster.* {parts['Why on a GPU cluster']}"
    yield ""
    yield f"*When to suppress.* {parts['When to suppress']}"
    yield ""
    yield f"[Wrong and right manifests, sources](../{path})"
    yield ""


def _parts(page: str) -> Iterator[tuple[str, str]]:
    """Heading and text of the sections of a rule's page."""
    for part in page.split("\n## ")[1:]:
        heading, _, body = part.partition("\n")
        yield heading, body.strip()


def cases_text() -> str:
    """The whole page of cases."""
    sys.path.insert(0, str(ROOT))
    from tests.lint.cases import cases
    from tests.lint.outcomes import outcome

    lines = [CASES_HEAD, "| case | kind of fault | answered by | status |", "|---|---|---|---|"]
    for case in sorted(cases(), key=lambda case: (case.row["kind"], case.id)):
        rules, status = outcome(case)
        links = " ".join(f"[{code}](rules.md#{code.lower()})" for code in rules) or "–"
        lines.append(f"| {case.id} | {case.row['kind']} | {links} | {status} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(text())
    CASES.write_text(cases_text())
