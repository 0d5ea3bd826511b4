"""The contest's outcome as a table, kinds by mutations."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[3] / "build"
"""Where what came of a seed is written: `refusals-<seed>.json`."""
Data = dict[str, Any]
Row = dict[str, int]
PATTERNS = ("missed", "alarms")


def lines(data: Data) -> Iterator[str]:
    """Everything, as text."""
    what = "objects" if data["seed"] is None else f"mutants of seed {data['seed']}"
    yield f"{data['tries']:,} {what}"
    yield ""
    yield f"{'':33} {'refused':>7} {'found':>6} {'taken':>7} {'alarms':>6}"
    for number, (name, row) in enumerate(data["mutations"].items(), 1):
        yield f"{number:2} {name:30}{_summary(row)}"
    yield ""
    yield f"{'':67}" + "".join(f"{number:4}" for number in range(1, len(data["mutations"])))
    for kind, row in data["kinds"].items():
        yield f"{kind:33}{_summary(row)}   " + "".join(
            f"{bare_share(cell):>4}" for cell in cells(data, kind)
        )
    yield ""
    for what, count in data["known"].items():
        yield f"{count:6} not found on purpose: {what}"
    for title in PATTERNS:
        yield ""
        yield f"{title}: how often, a mutant's number, field, message"
        for one in data[title]:
            yield f"{one['count']:6} {one['example']:7}  {one['field']}: {one['message']}"


def _summary(row: Row) -> str:
    return f" {row['refused']:7} {share(row):>6} {row['taken']:7} {alarming(row):>6}"


def cells(data: Data, kind: str) -> Iterator[Row]:
    """What came of a kind by each mutation, in the order of the mutations."""
    rows = data["mutations"] if kind == "all" else data["cells"][kind]
    for mutation in data["mutations"]:
        if mutation != "all":
            yield rows.get(mutation, {"refused": 0, "found": 0})


def share(row: Row) -> str:
    """How much is found of what is refused, in per cent, rounded down."""
    refused = row.get("refused", 0)
    return f"{1000 * row['found'] // refused / 10:.1f}%" if refused else "–"


def bare_share(row: Row) -> str:
    """As `share`, in few letters."""
    refused = row.get("refused", 0)
    return str(100 * row["found"] // refused) if refused else "–"


def alarming(row: Row) -> str:
    """How much of what a server takes is said to be refused, in per cent."""
    return f"{100 * row['alarming'] / row['taken']:.1f}%" if row["taken"] else "–"
