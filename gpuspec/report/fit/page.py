"""Parts of HTML pages: figures, legends, the table of nodes with drawn GPUs, bars."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gpuspec.enumeration import counted
from gpuspec.report.fit import prose
from gpuspec.report.fit.amounts import change, few, gpus, percent
from gpuspec.report.fit.blocks import rest_text, sum_text
from gpuspec.report.fit.canvas import class_words, left_words, pair_of_bars, scale
from gpuspec.report.fit.drawing import HIGH, WIDE, gpu_words, gpus_drawn, height, patterns, swatch
from gpuspec.report.fit.markup import Markup, element
from gpuspec.report.fit.palette import page_css, picture_css

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gpuspec.fleet.fit.result import ClassShare, Figures
    from gpuspec.report.fit.states import Alike, GpuPicture, GroupPicture

_BAR = 320
NAMES = 200
"""The most names listed of equal nodes."""
CLASSES = 100
"""The most classes listed, those with the most demand."""


def page(title: str, *inner: str) -> str:
    """Return a whole page."""
    css = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    style = Markup("\n".join((page_css(), css, picture_css())))
    head = element(
        "head",
        None,
        element("meta", {"charset": "utf-8"}),
        element("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
        element("meta", {"name": "color-scheme", "content": "light dark"}),
        element("title", None, title),
        element("style", None, style),
    )
    # Not hidden: what is hidden gives no patterns to others in some browsers.
    shared = {"width": 0, "height": 0, "style": "position:absolute", "aria-hidden": "true"}
    body = element("body", None, element("svg", shared, patterns()), element("main", None, *inner))
    markup = element("html", {"lang": "en", "xmlns": "http://www.w3.org/1999/xhtml"}, head, body)
    return f"<!DOCTYPE html>\n{markup}\n"


def figures_list(stages: Sequence[Figures]) -> Markup:
    """Return the figures of a fleet, before and after if both exist."""
    rows = zip(*map(prose.figures, stages), strict=True)
    cards = []
    for name, values in zip(prose.FIGURES, rows, strict=True):
        text = " → ".join(dict.fromkeys(values))
        if name == prose.FIGURES[0]:
            text += f" of {gpus(stages[-1].gpus)}"
        cards.append(element("div", None, element("dt", None, name), element("dd", None, text)))
    why = prose.why_stranded(stages[-1])
    note = element("p", {"class": "quiet"}, f"Stranded: {why}." if why else "")
    return element("div", None, element("dl", {"class": "figures"}, *cards), note)


def swatch_svg(who: int) -> Markup:
    """Return a legend's box as a separate picture."""
    size = {"width": HIGH + 2, "height": HIGH + 2, "viewBox": f"-1 -1 {HIGH + 2} {HIGH + 2}"}
    return element("svg", {**size, "aria-hidden": "true"}, swatch(who, 0, 0))


def legend_list(names: Iterable[tuple[int, str]]) -> Markup:
    """Return the meaning of letters and fillings."""
    return element(
        "ul",
        {"class": "legend"},
        *(element("li", None, swatch_svg(who), name) for who, name in names),
    )


def fleet_table(
    blocks: Sequence[GroupPicture], names: Mapping[int, str], sides: Sequence[str]
) -> Markup:
    """Return a row for equal nodes, with GPUs in `sides`: before and after, or one of them."""
    heads = ["Nodes", *sides, "Left on each node"]
    scopes = [element("th", {"scope": "col"}, head) for head in heads]
    rows = [element("tr", None, *scopes)]
    for block in blocks:
        group = {"class": "group", "colspan": len(heads), "scope": "colgroup"}
        markup = element("span", {"class": "sum"}, sum_text(block.all))
        rows.append(element("tr", None, element("th", group, block.group or "nodes", markup)))
        rows += [_row(row, names, sides) for row in block.rows]
        if block.rest is not None:
            rest = {"class": "quiet", "colspan": len(heads)}
            rows.append(element("tr", None, element("td", rest, rest_text(block.rest))))
    if not blocks:
        rows.append(element("tr", None, element("td", {"colspan": len(heads)}, "no nodes")))
    return _scroll("Fleet", rows, kind="fleet")


def _scroll(label: str, rows: list[Markup], kind: str | None = None) -> Markup:
    """Return a table that scrolls by keyboard if it is wider than the window."""
    moved = {"class": "scroll", "tabindex": 0, "role": "region", "aria-label": label}
    return element("div", moved, element("table", {"class": kind}, *rows))


def _row(row: Alike, names: Mapping[int, str], sides: Sequence[str]) -> Markup:
    if len(row.names) == 1:
        name: str = row.names[0]
    else:
        listed = element("p", None, few(list(row.names), NAMES))
        count = element("summary", None, counted(len(row.names), "node"))
        name = element("details", None, count, listed)
    states = ([old for old, _ in row.gpus], [new for _, new in row.gpus])
    cells = [element("td", {"class": "nodes"}, name)]
    for side, drawn in zip(sides, states[2 - len(sides) :], strict=True):
        cells.append(element("td", {"data-side": side}, _gpus(drawn, side, names)))
    markups = [
        element("div", {"class": "short" if "stranded" in line else "quiet"}, line)
        for line in left_words(row)
    ]
    cells.append(element("td", {"class": "left"}, *markups) if markups else element("td", None, ""))
    return element("tr", None, *cells)


def _gpus(row: Sequence[GpuPicture], side: str, names: Mapping[int, str]) -> Markup:
    if not row:
        return element("span", {"class": "quiet"}, "no GPUs")
    high = height(row) + 2
    box = {"width": WIDE + 2, "height": high, "viewBox": f"-1 -1 {WIDE + 2} {high}"}
    counts: dict[str, int] = {}
    for picture in row:
        words = gpu_words(picture, names)
        counts[words] = counts.get(words, 0) + 1
    gpu_list = "; ".join(f"{n} × {words}" for words, n in counts.items())
    label = {"role": "img", "aria-label": f"{side}: {gpu_list}"}
    return element("svg", {**box, **label}, gpus_drawn(row, names))


def bars_table(classes: Sequence[ClassShare], mix: str, *, both: bool) -> list[Markup]:
    """Return fragmentation by class, as bars with figures."""
    if not classes:
        return []
    ranked = sorted(classes, key=lambda share: -share.weight)[:CLASSES]
    most = scale(ranked)
    heads = ("Class", "Of demand", "Idle GPUs it cannot use", "", "Slots")
    rows = [element("tr", None, *(element("th", {"scope": "col"}, head) for head in heads))]
    for share in ranked:
        box = {"width": _BAR, "height": 22, "role": "img", "aria-label": class_words(share)}
        title = element("title", None, class_words(share))
        bar = element("svg", box, title, pair_of_bars(share, most, 0, 0, _BAR, both))
        cells = [
            element("td", None, share.name),
            element("td", {"class": "number"}, percent(share.weight, 1)),
            element("td", None, bar),
            element("td", {"class": "number"}, change(share.fragment)),
            element("td", {"class": "number"}, change(share.slots)),
        ]
        rows.append(element("tr", None, *cells))
    how = "Above before, below after" if both else "On one scale"
    more = f"; {len(classes) - CLASSES} smaller ones are left out" if len(classes) > CLASSES else ""
    return [
        element("h2", None, "Fragmentation by class"),
        element("p", {"class": "quiet"}, f"{how}; {mix}{more}."),
        _scroll("Fragmentation by class", rows),
    ]


def table(label: str, heads: Sequence[str], lines: Sequence[Sequence[str]]) -> Markup:
    """Build a table of names with numbers."""
    first, *others = heads
    number = {"scope": "col", "class": "number"}
    top = [element("th", {"scope": "col"}, first)]
    rows = [element("tr", None, *top, *(element("th", number, head) for head in others))]
    for name, *values in lines:
        cells = (element("td", {"class": "number"}, value) for value in values)
        rows.append(element("tr", None, element("td", None, name), *cells))
    return _scroll(label, rows)


def notes_list(notes: Sequence[str]) -> list[Markup]:
    """Return the assumptions."""
    if not notes:
        return []
    markups = [element("li", None, note) for note in notes]
    return [element("h2", None, "Assumed"), element("ul", None, *markups)]
