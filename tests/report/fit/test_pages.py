"""Pages and pictures: well formed, self-contained, escaped, small, and readable by many eyes."""

import re
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from msgspec import structs

from gpuspec.report.fit import fit_html, fit_svg, palette
from gpuspec.report.fleet import fleet_html, fleet_svg
from tests.report.fit import fleets

MAKERS = (fleets.good, fleets.mixed, fleets.hostile, fleets.crowded, fleets.large)
DRAWN: dict[str, Callable[[], str]] = {}
for make in MAKERS:
    DRAWN |= {
        f"fit-{make.__name__}.html": cache(lambda make=make: fit_html(make())),
        f"fit-{make.__name__}.svg": cache(lambda make=make: fit_svg(make())),
        f"fleet-{make.__name__}.html": cache(lambda make=make: fleet_html(fleets.fleet(make()))),
        f"fleet-{make.__name__}.svg": cache(lambda make=make: fleet_svg(fleets.fleet(make()))),
    }
SVG = "{http://www.w3.org/2000/svg}"
VOID = {"meta", "rect", "path"}


def tree(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text.removeprefix("<!DOCTYPE html>\n"))


class Nesting(HTMLParser):
    """Elements as a parser of HTML nests them."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        assert tag in VOID, f"HTML does not close <{tag}/>"
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", DRAWN)
def test_it_is_well_formed_for_parsers_of_both_kinds(name: str) -> None:
    text = DRAWN[name]()
    nesting = Nesting()
    nesting.feed(text)
    assert nesting.open == []
    of_xml = [one.tag.rpartition("}")[2].lower() for one in tree(text).iter()]
    assert of_xml == nesting.seen


@pytest.mark.parametrize("name", DRAWN)
def test_nothing_is_fetched_and_nothing_runs(name: str) -> None:
    text = DRAWN[name]()
    for one in tree(text).iter():
        assert one.tag.rpartition("}")[2] not in {"script", "link", "image", "img", "iframe", "use"}
        for key in one.attrib:
            assert key not in {"href", "src"} and not key.startswith("on"), key
    assert re.findall(r"url\((?!#)|@import|@font-face", text) == []
    addresses = set(re.findall(r"https?://[^\"' ]+", text))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml"}


@pytest.mark.parametrize("name", DRAWN)
def test_what_is_referred_to_is_there_once(name: str) -> None:
    text = DRAWN[name]()
    ids = re.findall(r' id="([^"]*)"', text)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r"url\(#(\w+)\)", text)) <= set(ids)


@pytest.mark.parametrize("name", [name for name in DRAWN if "hostile" in name])
def test_names_stay_names(name: str) -> None:
    text = DRAWN[name]()
    assert "<b " not in text and "\x1b" not in text
    said = "".join(tree(text).itertext())
    assert '<b onload="x">&|`*_\\x1b[31m</b>' in said


@pytest.mark.parametrize("name", [name for name in DRAWN if "large" in name])
def test_two_thousand_nodes_stay_small(name: str) -> None:
    assert len(DRAWN[name]().encode()) < 2_000_000


def test_partitioned_gpus_that_are_all_unlike_stay_small() -> None:
    rows = [
        fleets.row(
            f"node-{n:04}.eu-west-1.compute.internal",
            "mig",
            [
                fleets.mig(*(("#" if (n >> at) + gpu & 1 else "A", at, 1) for at in range(7)))
                for gpu in range(8)
            ]
            + [fleets.cell("#" * (n % 97) + "A" * (n % 89 + 1))],
        )
        for n in range(400)
    ]
    report = structs.replace(fleets.mixed(), rows_before=tuple(rows), rows_after=tuple(rows))
    for draw in (fit_html, fit_svg):
        text = draw(report)
        assert len(text.encode()) < 2_000_000
        assert "more states" in text


def test_every_picture_has_a_name() -> None:
    for name, make in DRAWN.items():
        root = tree(make())
        for one in root.iter(f"{SVG}svg"):
            # A legend's box stands beside its name, and patterns are no picture.
            named = one.get("aria-label") or one.get("aria-labelledby")
            assert (one.get("role") == "img" and named) or one.get("aria-hidden") == "true", name
        if name.endswith("svg"):
            assert root.find(f"{SVG}title") is not None and root.find(f"{SVG}desc") is not None


def test_what_binds_is_told_where_a_gpu_is_stranded() -> None:
    """On the GPU itself, for who reads with the ears, and in words beside it."""
    text = fit_html(fleets.mixed())
    assert "<title>stranded: too little CPU on its node</title>" in text
    assert 'aria-label="After: 6 × chat (A); 2 × stranded: too little CPU on its node"' in text
    assert "2 stranded: too little CPU<" in text


def test_slices_lie_where_they_are() -> None:
    svg = tree(fit_svg(fleets.mixed()))
    titles = [one.text for one in svg.iter(f"{SVG}title")]
    assert (
        "slices 0 to 1: in use before, slices 2 to 3: embed (C), slices 4 to 5: in use before, 0.25 idle"
        in titles
    )
    whole = next(
        one
        for one in svg.iter(f"{SVG}g")
        if (title := one.find(f"{SVG}title")) is not None
        and (title.text or "").startswith("slices 0 to 1: in use before, slices 2 to 3: embed")
    )
    boxes = list(whole.iter(f"{SVG}rect"))
    edge = next(box for box in boxes if box.get("class") == "edge")
    slice_ = next(box for box in boxes if (box.get("class") or "").startswith("w2"))
    left, wide = float(edge.get("x", 0)), float(edge.get("width", 0))
    assert float(slice_.get("x", 0)) - left == pytest.approx(wide * 2 / 8, abs=0.02)
    assert float(slice_.get("width", 0)) == pytest.approx(wide * 2 / 8, abs=0.02)


def test_every_workload_is_told_by_letter_too() -> None:
    svg = tree(fit_svg(fleets.mixed()))
    marks = {one.text for one in svg.iter(f"{SVG}text") if "mark" in (one.get("class") or "")}
    assert marks == {"A", "B", "C"}


def luminance(color: str) -> float:
    """Relative, as WCAG 2 defines it."""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_reckoned_right() -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", [palette.LIGHT, palette.DARK], ids=["light", "dark"])
def test_words_are_readable(theme: dict[str, str]) -> None:
    for kind in palette.TEXTS:
        for ground in ("paper", "panel"):
            assert contrast(theme[kind], theme[ground]) >= 4.5, (kind, ground)
    for mark in ("line", "lost", "accent"):
        assert contrast(theme[mark], theme["paper"]) >= 3, mark


def test_letters_are_readable_on_what_they_stand_on() -> None:
    for fill, ink in palette.FILLS:
        assert contrast(fill, ink) >= 4.5, fill
    assert len({fill for fill, _ in palette.FILLS}) == 7


def test_a_page_is_for_light_dark_and_paper() -> None:
    text = fit_html(fleets.good())
    assert "prefers-color-scheme:dark" in text
    assert "@media print" in text
    assert "prefers-color-scheme:dark" in fit_svg(fleets.good())


def test_of_many_workloads_those_that_are_placed_are_folded() -> None:
    folded, shown = '<details class="work good">', '<details class="work good" open="open">'
    assert fit_html(fleets.crowded()).count(folded) == 60
    assert fit_html(fleets.mixed()).count(shown) == 1
