"""The current state of a fleet for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuspec.escaping.characters import visible
from gpuspec.report.columns import columns
from gpuspec.report.fit.lines import Page
from gpuspec.report.fit.prose import why_stranded
from gpuspec.report.fit.text import fragments, picture
from gpuspec.report.fleet.prose import HEADS, MEANINGS, cells, fragment, summary
from gpuspec.report.ink import BOLD, DIM, paint

if TYPE_CHECKING:
    from gpuspec.fleet.fit.result import FleetReport

MOST = 30
"""The most groups with a line in the table."""


def fleet_text(report: FleetReport, *, width: int | None = None, color: bool = False) -> str:
    """Return figures by group, nodes as blocks, fragmentation by class, and the fleet in one line.

    `width` is the terminal's; None without a terminal, then sentences are not folded.
    """
    page = Page(width, color)
    page.heading(f"Fleet {report.fleet}")
    _table(page, report)
    if why := why_stranded(report.figures):
        page.labelled("stranded", why)
    use = f"{fragment(report.figures)}, on average; " if report.classes else ""
    page.labelled("unusable", f"{use}{report.mix}")
    page.labelled("columns", MEANINGS)
    page.gap()
    page.heading("Nodes")
    picture(page, {}, report.rows, report.rows)
    fragments(page, report.classes, report.mix, both=False)
    page.notes(report.notes)
    page.gap()
    page.folded(f"{summary(report)}.", "", "  ", BOLD)
    return page.text()


def _table(page: Page, report: FleetReport) -> None:
    """Return the rows of the groups, and the total if there are several."""
    groups = list(report.groups.items())
    rows = [(visible(name), *cells(of)) for name, of in groups[:MOST]]
    if len(groups) > MOST:
        rows.append((f"… {len(groups) - MOST} more", *[""] * len(HEADS)))
    if len(groups) > 1:
        rows.append(("all", *cells(report.figures)))
    heads = ("GROUP", *(head.upper() for head in HEADS))
    sizes = [max(columns(line[n]) for line in (heads, *rows)) for n in range(len(heads))]
    if 2 + 5 + sum(sizes[1:]) + 2 * len(HEADS) > page.wide:
        for name, *values in rows:
            amounts = zip(values, HEADS, strict=True)
            amount_list = ", ".join(f"{value} {_inner(head)}" for value, head in amounts if value)
            page.folded(f"{name}: {amount_list}" if amount_list else name, "  ", "    ")
        return
    # What the numbers leave of the line; a longer name has a line of its own above them.
    sizes[0] = min(sizes[0], max(5, page.wide - 2 - sum(sizes[1:]) - 2 * len(HEADS)))
    for number, (name, *values) in enumerate((heads, *rows)):
        if columns(name) > sizes[0]:
            page.blocks([f"  {name}"])
            name = ""
        text = f"  {name}{' ' * (sizes[0] - columns(name))}"
        text += "".join(f"  {value:>{size}}" for value, size in zip(values, sizes[1:], strict=True))
        last = number == len(rows) and len(groups) > 1
        style = DIM if not number else BOLD if last else ""
        page.blocks([paint(text.rstrip(), style, on=page.color and bool(style))])


def _inner(head: str) -> str:
    """Return a heading as a word within a sentence."""
    return head if head == "GPUs" else head.lower()
