"""`python -m tests.refusals.custom`: what a server refuses of custom objects, and what we say.

It asks the judge that `make tools` builds, and reads the definitions below `$GPUSPEC_OUTSIDE`.
"""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.refusals.custom.definitions import definitions
from tests.refusals.custom.scoring import Row, outcomes, table
from tests.refusals.custom.walking import Judge, walk
from tests.validation.conftest import no_operators, plain_cases

PAGE = Path(__file__).parents[3] / "docs" / "refusals-custom.md"
HEAD = """# Refusals of custom kinds

<!-- Made by `python -m tests.refusals.custom --write`. Do not edit. -->

A CustomResourceDefinition says which objects the API server refuses: by a schema with defaults, and by rules in CEL.
`make tools` builds a program from the API server's own code that checks both, the judge. This test begins with a plain
object of each of the {kinds} kinds with a schema, and changes it. The judge checks each changed object. The test changes
the accepted objects again, so that they grow. It takes fields and values from the rules.

    GPUSPEC_OUTSIDE=FOLDER .venv/bin/python -m tests.refusals.custom --seed 1 --rounds 25 --each 16

- *by its schema*: objects that the schema refuses; *found*: of these, the objects that the linter refuses too;
- *by rules alone*: objects that only CEL rules refuse; *found*: of these, the objects with a finding at every field that
  the judge names;
- *taken*: objects that the judge accepts; *alarms*: of these, the objects that the linter refuses. Findings on the pods
  that a controller would create do not count, because the judge does not see the pods;
- *broken*: the number of different rules that at least one object broke.

The linter misses alternatives (`oneOf`), which only a Gateway's addresses have.

## Results

Seed {seed}, {rounds} rounds of {each} objects of a kind.

| project | by its schema | found | by rules alone | found | broken | taken | alarms |
|---|---|---|---|---|---|---|---|
"""


def main() -> int:
    """Print the table, and write the page where that is asked."""
    given = _arguments()
    rows = run(given.seed, given.rounds, given.each)
    text = HEAD.format(**vars(given), kinds=len(definitions())) + "\n".join(_lines(rows)) + "\n"
    print(text.partition("## Results\n")[2])
    if given.write:
        PAGE.write_text(text, encoding="utf-8")
    return 0


def run(seed: int, rounds: int, each: int) -> dict[str, Row]:
    """What came of a walk, by project."""
    cases = plain_cases()
    tools = os.environ.get("GPUSPEC_TOOLS") or Path.home() / ".cache" / "gpuspec" / "tools"
    judge = Judge(str(Path(tools) / "bin" / "crd-judge"))
    try:
        starts = [(one, cases[one.kind]) for one in definitions()]
        with no_operators():
            return table(outcomes(walk(judge, starts, seed, rounds, each)))
    finally:
        judge.close()


def _lines(rows: dict[str, Row]) -> Iterator[str]:
    whole: Row = Counter()
    for row in rows.values():
        whole += row
    for name, row in [*sorted(rows.items()), ("**all**", whole)]:
        cells = [
            row["schema"],
            _share(row, "schema"),
            row["rules"],
            _share(row, "rules"),
            row["broken"],
        ]
        cells += [row["taken"], row["taken found"]]
        yield f"| {name} | {' | '.join(map(str, cells))} |"


def _share(row: Row, column: str) -> str:
    return f"{100 * row[f'{column} found'] / row[column]:.1f}%" if row[column] else "–"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.refusals.custom", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--each", type=int, default=16)
    parser.add_argument("--write", action="store_true", help="write docs/refusals-custom.md")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
