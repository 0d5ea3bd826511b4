"""The contest's outcome as tables: for people, and for `docs/refusals.md`."""

from collections.abc import Iterator
from typing import Any

Data = dict[str, Any]


def lines(data: Data) -> Iterator[str]:
    """Everything, as text."""
    yield f"seed {data['seed']}: {data['tries']:,} mutants"
    for title, rows in (("kind", data["kinds"]), ("mutation", data["mutations"])):
        yield ""
        yield f"{title:32} {'refused':>8} {'found':>8} {'':>7} {'taken':>8} {'alarms':>8}"
        for name, row in rows.items():
            yield (
                f"{name:32} {row['refused']:8} {row['found']:8} {share(row):>7}"
                f" {row['taken']:8} {row['alarming']:8}"
            )
    for title in ("missed", "alarms"):
        yield ""
        yield f"{title}: how often, a mutant's number, field, message"
        for one in data[title]:
            yield f"{one['count']:6} {one['example']:7}  {one['field'] or '-'}: {one['message']}"


def share(row: dict[str, int]) -> str:
    """How much is found of what is refused."""
    return f"{100 * row['found'] / row['refused']:.1f}%" if row["refused"] else "–"
