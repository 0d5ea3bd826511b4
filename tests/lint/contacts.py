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
        """Rules that speak at the place, no louder than is right, and not of the twin."""
        found = {one.rule for one in self.case.findings("inputs") if self.case.answers(one)}
        return found - {one.rule for one in self.case.findings("fixed") if self.case.answers(one)}

    def said_of_twin(self) -> set[str]:
        """Rules that warn of the clean twin, or call it wrong."""
        return {one.rule for one in self.case.findings("fixed") if one.severity != "info"}


def contacts() -> list[Contact]:
    """All of them, in the order of the list."""
    verdicts = yaml.safe_load((FOLDER / "verdicts.yaml").read_text())
    return [Contact(case, verdicts[case.id]) for case in cases(FOLDER)]
