"""Write how much the linter says of what a server refuses: `python docs/make_refusals.py`.

`refusals.md` is made from what `make refusals` wrote: of the seed that it runs, all of it; of others, how
much. Where there is too little of the former, it says so and writes nothing.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.refusals.contest.differences import differences  # noqa: E402
from tests.refusals.contest.table import RESULTS, alarming, bare_share, cells, share  # noqa: E402
from tests.refusals.misnamed import rows  # noqa: E402

PAGE = ROOT / "docs" / "refusals.md"
SEED, LEAST = 1, 200_000
MISSED = 20
Results = dict[str, Any]

HEAD = """# Refusals

<!-- Made by docs/make_refusals.py from what `make refusals` found. Do not edit. -->

Nobody knows better than an API server what it refuses beyond its schema. `make refusals-tools` builds its
own code for that, up to where it would store an object, for Kubernetes 1.35 and 1.37: strict decoding,
defaults, validation, warnings. `tests/refusals/test_server.py` shows that this
judge says what a real server does, error by error. It has no cluster: what admission plugins look up, and
which addresses and node ports Services may have, it does not judge.

    make refusals                      # seed 1, 200,000 mutants
    make refusals SEED=7 TRIES=20000

The contest begins with clean objects: one of every kind that a server has, with nearly every field that
there is, and what our examples render. In each mutant one thing is changed, at any place of the schema: a
field is removed, emptied, misspelt, there twice, of another type, too long; a word is another field's; a
neighbour joins that it excludes. Then the judge and `gpuspec lint` are asked.

- *refused*: by the judge;
- *found*: of these, where an error of the linter stands at the same place, or one step above or below, or
  where the object has nothing of all that leads there;
- *taken*: by the judge;
- *alarms*: of these, where the linter says that the API server refuses it.

`.venv/bin/python -m tests.refusals.contest --seed 1 --only 123` shows one mutant, and what both say of it.
"""


def results(file: Path | None = None, least: int = LEAST) -> Results:
    """What was found. Exits where there is nothing, or too little."""
    file = file or RESULTS / f"refusals-{SEED}.json"
    if not file.exists():
        sys.exit(f"{file} is missing; to make it: make refusals")
    found: Results = json.loads(file.read_text())
    if found["tries"] < least:
        sys.exit(f"{found['tries']} mutants are fewer than {least}")
    return found


def others() -> list[Results]:
    """What came of other seeds."""
    files = RESULTS.glob("refusals-[0-9]*.json")
    found: list[Results] = [json.loads(file.read_text()) for file in files]
    return sorted((one for one in found if one["seed"] != SEED), key=lambda one: int(one["seed"]))


def text(found: Results, other: list[Results]) -> str:
    """The whole page."""
    lines = [HEAD, "## What came out", "", f"Seed {found['seed']}, {found['tries']:,} mutants.", ""]
    for one in other:
        total = one["kinds"]["all"]
        said = f"Of the {total['refused']:,} that the judge refuses of {one['tries']:,} of seed {one['seed']},"
        lines += [f"{said} {share(total)} are found; alarms: {alarming(total)}.", ""]
    lines += [*mutations(found), "", *kinds(found), "", *_known(found), "", *missed(found)]
    lines += [*_alarms([found, *other]), "", *_misnamed()]
    return "\n".join(lines) + "\n"


def mutations(found: Results) -> Iterator[str]:
    """How much is found, by what is changed."""
    yield "| | what is changed | refused | found | taken | alarms |"
    yield "|---|---|---|---|---|---|"
    for number, (name, row) in enumerate(found["mutations"].items(), 1):
        shown = "" if name == "all" else number
        yield f"| {shown} | {name} | {row['refused']} | {share(row)} | {row['taken']} | {alarming(row)} |"


def kinds(found: Results) -> Iterator[str]:
    """How much is found, by kind."""
    yield "How much is found, in per cent, by kind and by what is changed:"
    yield ""
    numbers = range(1, len(found["mutations"]))
    yield f"| kind | refused | found | alarms | {' | '.join(map(str, numbers))} |"
    yield "|" + "---|" * (4 + len(numbers))
    for kind, row in found["kinds"].items():
        shares = " | ".join(bare_share(cell) for cell in cells(found, kind))
        yield f"| {kind} | {row['refused']} | {share(row)} | {alarming(row)} | {shares} |"


def _known(found: Results) -> Iterator[str]:
    total, known = found["kinds"]["all"], sum(found["known"].values())
    rest = {**total, "refused": total["refused"] - known}
    yield f"Of the {total['refused'] - total['found']} that are not found, {known} are known differences;"
    yield f"without those, {share(rest)} are found."
    yield ""
    yield "| mutants | what a server refuses | why the linter does not say it |"
    yield "|---|---|---|"
    for row in differences():
        yield f"| {found['known'][row.what]} | {row.what} | {row.why} |"


def _alarms(results: list[Results]) -> Iterator[str]:
    told = [(one["seed"], alarm) for one in results for alarm in one["alarms"]]
    if told:
        yield from ("", "What the linter says is refused, and is taken:", "")
        yield from (
            "| seed | mutants | such as | field | the linter's words |",
            "|---|---|---|---|---|",
        )
    for seed, one in told:
        yield f"| {seed} | {one['count']} | {one['example']} | `{one['field']}` | {one['message']} |"


def _misnamed() -> Iterator[str]:
    yield "## Paths that the server misnames"
    yield ""
    yield "Where a server names another field than the object has, found is what is said of the field that it"
    yield "means. `[*]` is an item that it does not tell. Sources are of k8s.io/kubernetes 1.37."
    yield ""
    yield "| the server says | it means | where | source |"
    yield "|---|---|---|---|"
    for row in rows():
        yield f"| `{row.says}` | `{row.means}` | {row.where} | `{row.source}` |"


def missed(found: Results) -> Iterator[str]:
    """What is not found."""
    yield "What a server says most often of mutants that are not found; `<pod>` stands for a pod in any kind:"
    yield ""
    yield "| mutants | field | the server's words |"
    yield "|---|---|---|"
    for one in found["missed"][:MISSED]:
        said = one["message"].replace("|", "\\|")
        yield f"| {one['count']} | `{one['field']}` | {said} |"


if __name__ == "__main__":
    PAGE.write_text(text(results(), others()), encoding="utf-8")
