"""Reports that no rule was made for, and what is judged of each (tests/first_contact)."""

from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.lint.cases import Case, cases

FOLDER = Path(__file__).parents[1] / "first_contact"


class Contact(NamedTuple):
    """One report with its verdict."""

    case: Case
    verdict: dict[str, Any]

    @property
    def id(self) -> str:
        return self.case.id

    def listed(self, key: str) -> set[str]:
        """Rules that the verdict lists under a key."""
        return set(self.verdict.get(key, ()))

    def answers(self) -> set[str]:
        """Rules that speak at the place, no louder than is right, and do not say the same of the twin."""
        found, twin = (
            {(one.rule, one.message) for one in self.case.findings(which) if self.case.answers(one)}
            for which in ("inputs", "fixed")
        )
        return {rule for rule, _ in found - twin}

    @property
    def known(self) -> bool:
        """Whether an earlier list, a case from the field or a rule's page had the report already."""
        return bool(self.case.row.get("known"))

    def said_of_twin(self) -> set[str]:
        """Rules that warn of the clean twin, or call it wrong; and false notes on it that are listed."""
        return {
            one.rule
            for one in self.case.findings("fixed")
            if one.severity != "info" or one.rule in self.listed("alarm")
        }


class Gathering(NamedTuple):
    """One list of reports, gathered by queries of its own and judged as a whole, or not yet."""

    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def judged(self) -> bool:
        return (self.folder / "verdicts.yaml").exists()

    @property
    def cases(self) -> tuple[Case, ...]:
        return cases(self.folder)

    def queries(self) -> list[dict[str, Any]]:
        """What was asked, in the order of asking."""
        return list(yaml.safe_load((self.folder / "queries.yaml").read_text()))

    def exclusions(self) -> dict[str, list[str]]:
        """What was read and not taken, by the reason."""
        return dict(yaml.safe_load((self.folder / "exclusions.yaml").read_text()))

    def verdicts(self) -> dict[str, dict[str, Any]]:
        """What was judged, by the report; nothing as long as nothing is judged."""
        if not self.judged:
            return {}
        return dict(yaml.safe_load((self.folder / "verdicts.yaml").read_text()))

    def contacts(self) -> list[Contact]:
        """Reports with their verdicts, in the order of the list; none before they are judged."""
        verdicts = self.verdicts()
        return [Contact(case, verdicts[case.id]) for case in self.cases] if verdicts else []


GATHERINGS = tuple(
    Gathering(FOLDER / name)
    for name in (
        "first",
        "second",
        "third",
        "fourth",
        "fifth",
        "sixth",
        "seventh",
        "eighth",
        "ninth",
        "tenth",
        "eleventh",
    )
)
