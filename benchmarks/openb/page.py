"""`make openb-page`: the tables of docs/fragmentation.md, from what the replays wrote into build/.

A table whose file is not there stays as it is.
"""

import json

from benchmarks.openb.runs import BUILD, ROOT
from benchmarks.openb.tables import Row, against_published, by_shape, by_ties, verdict

PAGE = ROOT / "docs" / "fragmentation.md"


def main() -> None:
    text = PAGE.read_text()
    for name, made in _tables().items():
        text = spliced(text, name, made)
    PAGE.write_text(text)


def spliced(text: str, name: str, table: str) -> str:
    """The page with another table between the two comments of that name."""
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"{PAGE}: no {begin.strip()} … {end}")
    return f"{before}{begin}\n{table}\n\n{end}{after}"


def _tables() -> dict[str, str]:
    made: dict[str, str] = {}
    if rows := _rows("openb.json"):
        made["openb"] = against_published(rows)
        if "published_mean" in rows[0]:
            made["openb verdict"] = "\n".join(f"- {line}" for line in verdict(rows).splitlines())
    if rows := _rows("openb-ties.json"):
        made["ties"] = by_ties(rows)
    if rows := _rows("openb-ablation.json"):
        made["shapes"] = by_shape([row for row in rows if row["filled"]])
        made["unfilled"] = by_shape([row for row in rows if not row["filled"]])
    return made


def _rows(name: str) -> list[Row]:
    file = BUILD / name
    return json.loads(file.read_text()) if file.is_file() else []


if __name__ == "__main__":
    main()
