"""The tables: what is compared, and how they get into their page."""

from pathlib import Path
from typing import Any

import pytest

from benchmarks.openb import page
from benchmarks.openb.tables import against_published, held, markdown, order, verdict


def cell(policy: str, mean: float, published: float, workload: str = "default") -> dict[str, Any]:
    return {
        "workload": workload,
        "policy": policy,
        "mean": mean,
        "sd": 0.1,
        "fragment": 5.0,
        "published_mean": published,
        "published_fragment": 5.25,
        "runs": 10,
        "equal": 7,
    }


def test_cells_are_ours_and_the_difference() -> None:
    table = against_published([cell("FGD", 95.28, 95.22), cell("BestFit", 92.8, 92.9)])
    assert table.splitlines() == [
        "| workload |           FGD |       BestFit |",
        "|----------|--------------:|--------------:|",
        "| default  | 95.28 (+0.06) | 92.80 (-0.10) |",
    ]


def test_order_counts_only_what_is_clearly_apart() -> None:
    """Within 0.3 points the authors' own runs tell no order; other workloads are no matter."""
    rows = [cell("A", 90, 91), cell("B", 91, 90), cell("C", 90.5, 90.2), cell("D", 99, 1, "cpu050")]
    assert order(rows) == (2, 2)
    assert order([cell("A", 90, 90), cell("B", 91, 91)]) == (1, 0)


def test_the_verdict_names_the_worst_cell() -> None:
    text = verdict([cell("FGD", 95, 95.4), cell("BestFit", 92, 92)])
    assert (
        "mean difference 0.200" in text
        and "largest 0.400 at default FGD (held to 0.6; 0 above)" in text
    )
    assert "1 above" in verdict([cell("FGD", 95, 95.602)])
    assert "fragment: mean difference 0.250" in text
    assert "runs: 14 of 20 allocate what the published run" in text


@pytest.mark.parametrize(
    ("means", "near"),
    [((95.2, 92), True), ((95.2, 92.61), False), ((95.5, 92.2), False), ((92.1, 92.2), False)],
)
def test_what_the_replay_is_held_to(means: tuple[float, float], near: bool) -> None:
    """Cells, their mean, and the order of what is clearly apart."""
    theirs = (95, 92) if means[0] > 95 else (92.4, 92)
    rows = [cell("FGD", means[0], theirs[0]), cell("BestFit", means[1], theirs[1])]
    assert held(rows) is near


def test_a_table_in_markdown_is_aligned() -> None:
    assert markdown(["a", "b"], [["long", "1"]]) == "| a    | b |\n|------|--:|\n| long | 1 |"


def test_a_page_gets_its_table_between_two_comments() -> None:
    text = "one\n<!-- x -->\nold\n<!-- /x -->\ntwo\n"
    made = page.spliced(text, "x", "new")
    assert made == "one\n<!-- x -->\n\nnew\n\n<!-- /x -->\ntwo\n"
    assert page.spliced(made, "x", "new") == made


def test_a_page_without_the_comments_is_an_error() -> None:
    with pytest.raises(SystemExit, match="no <!-- x -->"):
        page.spliced("text", "x", "new")


def test_the_page_has_a_place_for_each_table(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = page.PAGE.read_text()
    for name in ("openb", "openb verdict", "ties", "shapes", "unfilled"):
        page.spliced(text, name, "table")
    monkeypatch.setattr(page, "BUILD", tmp_path)
    monkeypatch.setattr(page, "PAGE", tmp_path / "page.md")
    page.PAGE.write_text(text)
    page.main()
    assert page.PAGE.read_text() == text
