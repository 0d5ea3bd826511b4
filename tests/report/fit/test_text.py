"""Reports on a terminal: short where all is well, never wider than it, and what is said is whole."""

import re
from typing import Any

import pytest
from msgspec import structs

from gpuspec.fleet.fit.result import Advice, FitReport, GroupCapacity, MetricChange, Reason
from gpuspec.manifests import Place
from gpuspec.report.columns import columns
from gpuspec.report.fit import fit_markdown, fit_text
from gpuspec.report.fleet import fleet_text
from tests.report.fit import fleets

INK = re.compile(r"\x1b\[[0-9;]*m")
REPORTS = {
    make.__name__: make for make in (fleets.good, fleets.mixed, fleets.large, fleets.crowded)
}


@pytest.mark.parametrize("width", [40, 53, 80, 100])
@pytest.mark.parametrize("name", REPORTS)
def test_no_line_is_wider_than_the_terminal(name: str, width: int) -> None:
    text = fit_text(REPORTS[name](), width=width)
    assert [line for line in text.splitlines() if columns(line) > width] == []


def test_a_fleet_is_no_wider_than_a_terminal() -> None:
    text = fleet_text(fleets.fleet(fleets.large()), width=80)
    assert [line for line in text.splitlines() if columns(line) > 80] == []


@pytest.mark.parametrize("name", REPORTS)
def test_colour_changes_no_word(name: str) -> None:
    report = REPORTS[name]()
    coloured = fit_text(report, width=80, color=True)
    assert coloured != fit_text(report, width=80)
    assert INK.sub("", coloured) == fit_text(report, width=80)


def test_a_good_answer_is_short() -> None:
    lines = fit_text(fleets.good(), width=80).splitlines()
    assert len(lines) <= 16
    assert "A chat (Deployment, serving): placed, 2 of 2 pods" in lines


def test_the_schedulers_words_can_be_copied() -> None:
    piped = fit_text(fleets.mixed()).splitlines()
    assert f"    {fleets.MESSAGE}" in piped
    lines = fit_text(fleets.mixed(), width=80).splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("    0/6 nodes"))
    end = next(n for n, line in enumerate(lines) if line.startswith("  advice    4 pods"))
    assert " ".join(line.strip() for line in lines[start:end]) == fleets.MESSAGE


def test_names_do_not_steer_the_terminal() -> None:
    report = fleets.hostile()
    for text in (fit_text(report, width=80), fit_text(report), fit_markdown(report)):
        assert "\x1b" not in text


def test_a_large_fleet_takes_few_rows() -> None:
    lines = fit_text(fleets.large(), width=80).splitlines()
    drawn = [line for line in lines if re.search(r"[▒·╱]{2}", line)]
    assert 10 < len(drawn) <= 40


def test_what_is_left_out_is_counted() -> None:
    """The nodes that are drawn and those that are counted are all that there are."""
    text = fit_text(fleets.large(), width=80)
    counted = sum(int(n) for n in re.findall(r"^    and (\d+) nodes", text, re.MULTILINE))
    counted += sum(int(n) for n in re.findall(r"^    (\d+) nodes", text, re.MULTILINE))
    counted += len(re.findall(r"^    node-", text, re.MULTILINE))
    assert counted == 2000


def test_more_groups_than_rows_are_counted_too() -> None:
    rows = tuple(fleets.row(f"n{n}", f"pool-{n:03}", "##..") for n in range(300))
    report = structs.replace(fleets.good(), workloads=(), rows_before=rows, rows_after=rows)
    text = fit_text(report, width=80)
    found = re.search(r"(\d+) more groups  (\d+) nodes, ([\d,]+) of ([\d,]+) GPUs in use", text)
    assert found is not None
    shown = len(re.findall(r"^  pool-", text, re.MULTILINE))
    assert shown + int(found[1]) == 300
    assert [int(n.replace(",", "")) for n in found.groups()[1:]] == [
        300 - shown,
        2 * (300 - shown),
        4 * (300 - shown),
    ]


def test_an_empty_fleet_and_no_workloads() -> None:
    report = structs.replace(
        fleets.good(),
        workloads=(),
        classes=(),
        rows_before=(),
        rows_after=(),
        before=fleets.figures(nodes=0, gpus=0, idle=0, whole=0, largest=0),
        after=fleets.figures(nodes=0, gpus=0, idle=0, whole=0, largest=0),
    )
    assert fit_text(report, width=80) == (
        "Fleet eu, before → after  0 nodes with GPUs, Kubernetes 1.34, default scoring\n"
        "\n"
        "0 of 0 workloads placed; 0 of 0 GPUs in use, none stranded, 0 nodes with all\n"
        "  GPUs idle.\n"
    )


@pytest.mark.parametrize(
    ("changes", "first"),
    [
        ({"bounds": (1, 2)}, "placed, 1–2 of 2 pods, depending on ties (10 seeds)"),
        ({"pods": 8, "least": 2, "bounds": (8, 8)}, "placed, 8 of 8 pods, minimum 2"),
        ({"gang": True}, "placed, 2 of 2 pods, a gang"),
        (
            {"verdict": "held", "bounds": (0, 0), "queue": "ml"},
            "held, 0 of 2 pods: queue ml does not admit it",
        ),
        ({"verdict": "unknown"}, "unknown"),
        ({"verdict": "elsewhere"}, "elsewhere"),
        ({"verdict": "refused", "pods": 0}, "refused, it cannot run on this cluster"),
        ({"verdict": "not placed", "bounds": (0, 0)}, "not placed, 0 of 2 pods"),
    ],
)
def test_a_verdict_in_words(changes: dict[str, Any], first: str) -> None:
    report = structs.replace(fleets.good(), workloads=(fleets.work(**changes),), seeds=10)
    assert f"A chat (Deployment, serving): {first}" in fit_text(report).splitlines()


def test_a_small_share_is_seen_and_a_nearly_full_gpu_is_not_full() -> None:
    def drawn(*cells: str) -> str:
        rows = (fleets.row("node", "l4", [fleets.cell(one) for one in cells]),)
        report: FitReport = structs.replace(fleets.good(), rows_before=rows, rows_after=rows)
        text = fit_text(report, width=80)
        return next(line for line in text.splitlines() if line.startswith("    node"))

    assert drawn("#.......", "#######.", "########") == "    node  ▒▒ ▒· ▒·"
    assert drawn("##A.") == "    node  ▒A"


def test_fragmentation_that_is_nothing_is_not_drawn() -> None:
    report = fleets.good()
    assert "by class" not in fit_text(report)
    worse = structs.replace(report.classes[0], fragment=MetricChange(0, 0.5))
    assert "by class" in fit_text(structs.replace(report, classes=(worse,)))


def test_groups_without_slots_share_a_line() -> None:
    rooms = (
        GroupCapacity("h100", 3, 2, "nvidia.com/gpu", 8, 6),
        GroupCapacity("l4", 2, 0, "nvidia.com/gpu", 1, 0),
        GroupCapacity("t4", 2, 0, "nvidia.com/gpu", 1, 0),
        GroupCapacity("thin", 1, 0, "memory", 8, 0),
    )
    report = structs.replace(fleets.good(), workloads=(fleets.work(rooms=rooms),))
    lines = [line.removeprefix("  slots").strip() for line in fit_text(report).splitlines()]
    assert "h100: 6 of 6 free before, 2 on each of 3 nodes, bound by GPUs" in lines
    assert "none on l4, t4, bound by GPUs" in lines
    assert "none on thin, bound by memory" in lines


def test_what_needs_attention_stands_above_the_picture_and_what_is_placed_below() -> None:
    text = fit_text(fleets.mixed(), width=80)
    order = ["Needs attention", "A chat", "B train", "Fleet eu", "Placed", "C embed", "1 of 3"]
    places = [text.index(f"\n{line}") for line in order[1:]]
    assert text.startswith(order[0])
    assert places == sorted(places)


def test_the_nearest_nodes_come_with_what_would_have_to_change() -> None:
    place = Place("specs/train.yaml", 9, 12)
    near = Reason(
        "h100", 3, "it asks for 34 CPU (at most 22 free)", 9, Advice("ask for less", place)
    )
    far = Reason("l4", 4, "it does not tolerate a; it asks for b; it asks for c", 4)
    work = fleets.work(verdict="not placed", placed=0, reasons=(near, far))
    lines = fit_text(structs.replace(fleets.good(), workloads=(work,))).splitlines()
    start = lines.index("  nearest   h100, 3 of its 9 nodes: it asks for 34 CPU (at most 22 free)")
    assert lines[start + 1 : start + 3] == [
        "  to fit    ask for less (specs/train.yaml:9:12)",
        "  others    l4, all 4 nodes: it does not tolerate a; and 2 more",
    ]
