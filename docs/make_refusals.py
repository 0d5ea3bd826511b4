"""Write how much the linter says of what a server refuses: `python docs/make_refusals.py FRESH`.

`refusals.md` is made from what `make refusals` wrote: of the seed that it runs, all of it; of a fresh one,
which nobody looked at while rules were written, how much; of the objects that Kubernetes' own tests
validate, how much by kind. Where anything of it is missing, or too little, it says so and writes nothing.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.refusals.contest.differences import differences
from tests.refusals.contest.table import RESULTS, alarming, bare_share, cells, share
from tests.refusals.misnamed import rows

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "refusals.md"
SEED, LEAST = 1, 200_000
MISSED = 20
Results = dict[str, Any]

HEAD = """# Refusals

<!-- Made by docs/make_refusals.py from what `make refusals` found. Do not edit. -->

An API server refuses more than its schema does. `make refusals-tools` builds the API server's own code up to the point
where it would store an object, for Kubernetes 1.35 and 1.37: strict decoding, defaults, validation and warnings.
`tests/refusals/test_server.py` checks that this judge returns the same errors as a real server. The judge has no cluster,
so it cannot judge what admission plugins look up, or the addresses and node ports of Services.

    make refusals                      # seed 1, 200,000 mutants
    make refusals SEED=7               # a fresh seed
    python docs/make_refusals.py 7     # this page, from both

The comparison begins with objects that the judge accepts: one of each built-in kind, with nearly all of its fields; the
objects that our examples render; and the [cases from the field](cases.md). Each mutant changes one thing, anywhere in the
schema: a field is removed, emptied, misspelt, repeated, too long or of another type; a value belongs to another field; a
field is added that its neighbour excludes. Then the judge and `gpuspec lint` read the mutant.

- *refused*: the judge refuses the mutant;
- *found*: of the refused mutants, those for which the linter reports an error at the same path, one step above or below it,
  or at the nearest field that exists;
- *taken*: the judge accepts the mutant;
- *alarms*: of the accepted mutants, those for which the linter says that the API server refuses them.

`.venv/bin/python -m tests.refusals.contest --seed 1 --only 123` prints one mutant, with the answers of both.
"""

TESTED = (
    "## What Kubernetes' own tests validate",
    "",
    "Kubernetes' tests of its validation are tables of objects, each with what is wrong with it.",
    "`tests/refusals/record` runs them (of `pkg/apis/*/validation`, `pkg/registry/*/*/strategy_test.go` and",
    "`test/declarative_validation`, 1.37) and keeps what they call the functions that validate with: objects,",
    "and parts of objects, which are put into small ones. Nothing of them is in this repository. Each is",
    "written as a client would send it, and judged as a mutant is. Many have more than one thing wrong: found",
    "is one of which the linter says any. `.venv/bin/python -m tests.refusals.contest --tested --only 123` shows",
    "one.",
)


def results(of: int | str = SEED, least: int = LEAST) -> Results:
    """What came of a seed, of `tested` or of `operators`. Exits where there is nothing, or too little."""
    file = RESULTS / f"refusals-{of}.json"
    if not file.exists():
        more = "" if of in (SEED, "tested", "operators") else f" SEED={of}"
        sys.exit(f"{file} is missing; to make it: make refusals{more}")
    found: Results = json.loads(file.read_text())
    if found["tries"] < least:
        sys.exit(f"{file}: {found['tries']} are fewer than {least}")
    return found


def text(found: Results, fresh: Results, tested: Results) -> str:
    """The whole page."""
    lines = [HEAD, "## Results", "", f"Seed {found['seed']}, {found['tries']:,} mutants.", ""]
    lines += [of_fresh(fresh), ""]
    lines += [*mutations(found), "", *kinds(found), "", *_known(found), "", *missed(found)]
    lines += [*_alarms([found, fresh]), "", *of_tested(tested), "", *_misnamed()]
    return "\n".join(lines) + "\n"


def of_fresh(fresh: Results) -> str:
    """How much is found of a seed that nobody looked at before."""
    total = fresh["kinds"]["all"]
    said = f"Of the {total['refused']:,} that the judge refuses of {fresh['tries']:,} of seed {fresh['seed']},"
    return f"{said} {share(total)} are found; alarms: {alarming(total)}."


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


def _without_known(found: Results) -> Iterator[str]:
    total, known = found["kinds"]["all"], sum(found["known"].values())
    rest = {**total, "refused": total["refused"] - known}
    yield f"Of the {total['refused'] - total['found']} that are not found, {known} are known differences;"
    yield f"without those, {share(rest)} are found."


def _known(found: Results) -> Iterator[str]:
    yield from _without_known(found)
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
            "| seed | how many | such as | field | the linter's words |",
            "|---|---|---|---|---|",
        )
    for seed, one in told:
        yield f"| {seed} | {one['count']} | {one['example']} | `{one['field']}` | {one['message']} |"


def of_tested(found: Results) -> Iterator[str]:
    """How much is found of what Kubernetes' own tests validate."""
    yield from TESTED
    yield ""
    yield "| kind | refused | found | taken | alarms |"
    yield "|---|---|---|---|---|"
    for kind, row in found["kinds"].items():
        yield f"| {kind} | {row['refused']} | {share(row)} | {row['taken']} | {alarming(row)} |"
    yield ""
    yield from _without_known(found)
    yield ""
    yield from missed(found)
    yield from _alarms([found])


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
    yield "What a server says most often of what is not found; `<pod>` stands for a pod in any kind:"
    yield ""
    yield "| how many | field | the server's words |"
    yield "|---|---|---|"
    for one in found["missed"][:MISSED]:
        said = one["message"].replace("|", "\\|")
        yield f"| {one['count']} | `{one['field']}` | {said} |"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(
            "usage: python docs/make_refusals.py FRESH, a seed of which `make refusals` was run"
        )
    made = text(results(), results(sys.argv[1]), results("tested", least=1))
    PAGE.write_text(made, encoding="utf-8")
