"""The tables, as they are printed and as docs/fragmentation.md has them: from rows to Markdown."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]

# What the replay is held to, in points of the fleet's GPUs.
CELL, AVERAGE, ORDER = 0.6, 0.2, 0.3

# Runs this near are the same: the authors round to hundredths, each reading and then their mean.
DIGIT = 0.01


def against_published(rows: Sequence[Row]) -> str:
    """Ours and the difference to what was published, by workload and policy."""
    policies = list(dict.fromkeys(row["policy"] for row in rows))
    cells = {(row["workload"], row["policy"]): row for row in rows}
    lines = [
        [workload, *(_beside(cells[workload, policy]) for policy in policies)]
        for workload in dict.fromkeys(row["workload"] for row in rows)
    ]
    return markdown(["workload", *policies], lines)


def _beside(row: Row) -> str:
    if "published_mean" not in row:
        return f"{row['mean']:.2f}"
    return f"{row['mean']:.2f} ({row['mean'] - row['published_mean']:+.2f})"


def by_ties(rows: Sequence[Row]) -> str:
    """Allocation, and nodes with eight idle GPUs at 70 % load, by workload and method."""
    methods = list(dict.fromkeys((row["policy"], row["ties"]) for row in rows))
    cells = {(row["workload"], row["policy"], row["ties"]): row for row in rows}
    lines = [
        [workload, *(_with_whole(cells[workload, *method]) for method in methods)]
        for workload in dict.fromkeys(row["workload"] for row in rows)
    ]
    return markdown(["workload", *(f"{policy}, {ties}" for policy, ties in methods)], lines)


def _with_whole(row: Row) -> str:
    return f"{row['mean']:.2f} / {row['whole']:.0f}"


def by_shape(rows: Sequence[Row]) -> str:
    """GPUs that stay without work, and nodes with eight idle GPUs at 70 % load, by shape."""
    methods = list(dict.fromkeys(row["policy"] for row in rows))
    cells = {(row["shape"], row["policy"]): row for row in rows}
    lines = [
        [
            shape,
            *(f"{cells[shape, method]['unallocated']:.2f}" for method in methods),
            " / ".join(f"{cells[shape, method]['whole']:.0f}" for method in methods),
        ]
        for shape in dict.fromkeys(row["shape"] for row in rows)
    ]
    return markdown(["shape", *methods, "whole nodes"], lines)


def verdict(rows: Sequence[Row]) -> str:
    """How near the replay is, in sentences."""
    apart = [abs(row["mean"] - row["published_mean"]) for row in rows]
    fragments = [abs(row["fragment"] - row["published_fragment"]) for row in rows]
    worst = max(rows, key=lambda row: abs(row["mean"] - row["published_mean"]))
    pairs, swapped = order(rows)
    return "\n".join(
        (
            f"allocation: {len(rows)} cells, mean difference {sum(apart) / len(apart):.3f} points "
            f"(held to {AVERAGE}), largest {max(apart):.3f} at {worst['workload']} "
            f"{worst['policy']} (held to {CELL}; {sum(one > CELL for one in apart)} above)",
            f"order: {pairs} pairs of policies published more than {ORDER} points apart, "
            f"{swapped} of them the other way round",
            f"fragment: mean difference {sum(fragments) / len(fragments):.3f} points, largest "
            f"{max(fragments):.2f}",
            f"runs: {sum(row['equal'] for row in rows)} of {sum(row['runs'] for row in rows)} "
            "allocate what the published run of that seed did, to a hundredth of a point",
        )
    )


def held(rows: Sequence[Row]) -> bool:
    """Whether the replay is as near as it is held to be."""
    apart = [abs(row["mean"] - row["published_mean"]) for row in rows]
    near = max(apart) <= CELL and sum(apart) / len(apart) <= AVERAGE
    return near and order(rows)[1] == 0


def order(rows: Sequence[Row]) -> tuple[int, int]:
    """Pairs of policies of one workload that are clearly apart as published; of them, swapped."""
    pairs = swapped = 0
    for index, one in enumerate(rows):
        for other in rows[index + 1 :]:
            apart = one["published_mean"] - other["published_mean"]
            if one["workload"] == other["workload"] and abs(apart) > ORDER:
                pairs += 1
                swapped += (one["mean"] - other["mean"]) * apart <= 0
    return pairs, swapped


def markdown(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table in Markdown, its first column to the left and the others to the right."""
    rows = [list(head), *map(list, lines)]
    wide = [max(len(row[index]) for row in rows) for index in range(len(head))]
    made = [
        "| "
        + " | ".join(
            cell.ljust(size) if index == 0 else cell.rjust(size)
            for index, (cell, size) in enumerate(zip(row, wide, strict=True))
        )
        + " |"
        for row in rows
    ]
    rule = "".join(
        f"|{'-' * (size + 2)}" if not index else f"|{'-' * (size + 1)}:"
        for index, size in enumerate(wide)
    )
    return "\n".join((made[0], rule + "|", *made[1:]))
