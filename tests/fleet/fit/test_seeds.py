"""Seeds after the first: when they are tried, and that it makes no difference who tries them."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from gpuspec import FitReport
from gpuspec.facade import copying, fitting
from gpuspec.fleet.fit.run import PlacementRun
from tests.fleet.fit.objects import Fit, deployment

Count = Callable[[], int]


def waiting(fit: Fit) -> FitReport:
    """Pods of several shapes, more than find room: whether the last do is chance."""
    shapes = [(6, 1, "4"), (5, 1, "4"), (3, 2, "16"), (7, 3, "16")]
    return fit(*(deployment(f"w{g}", pods, gpus=g, cpu=cpu) for g, pods, cpu in shapes))


@pytest.fixture
def copies(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The copies that are made of the process, where any fleet is a large one."""
    made: list[int] = []
    fork = os.fork

    def counted() -> int:
        child = fork()
        if child:
            made.append(child)
        return child

    monkeypatch.setattr(os, "fork", counted)
    monkeypatch.setattr(fitting, "LARGE", 0)
    monkeypatch.setattr(copying, "processors", lambda: 3)
    monkeypatch.setattr(copying, "can_copy", lambda: True)
    return made


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Count:
    """How often everything was placed."""
    done = 0
    units = PlacementRun.units

    def counted(self: PlacementRun) -> object:
        nonlocal done
        done += 1
        return units(self)

    monkeypatch.setattr(PlacementRun, "units", counted)
    return lambda: done


def test_copies_place_what_one_process_places(
    fit: Fit, copies: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = waiting(fit)
    assert len(copies) == 2
    monkeypatch.setattr(copying, "processors", lambda: 1)
    assert waiting(fit) == beside
    assert len(copies) == 2
    assert (beside.seeds, beside.workloads[-1].bounds) == (5, (0, 1))


def test_what_a_copy_does_not_finish_is_placed_all_the_same(
    fit: Fit, copies: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = waiting(fit)
    here, place = os.getpid(), PlacementRun.place

    def failing(self: PlacementRun, unit: tuple[int, ...]) -> None:
        if os.getpid() != here:
            raise MemoryError
        place(self, unit)

    monkeypatch.setattr(PlacementRun, "place", failing)
    assert waiting(fit) == beside
    assert len(copies) == 4


def test_a_small_fleet_is_worth_no_copy(
    fit: Fit, copies: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fitting, "LARGE", 1000)
    assert waiting(fit).seeds == 5
    assert not copies


def test_pods_that_fit_no_empty_node_ask_for_no_other_seed(fit: Fit, runs: Count) -> None:
    report = fit(deployment("large", gpus=16), deployment("fits"))
    assert [one.verdict for one in report.workloads] == ["not placed", "placed"]
    assert (runs(), report.seeds) == (1, 1)


def test_pods_that_wait_for_room_ask_for_all_seeds(fit: Fit, runs: Count) -> None:
    report = fit(deployment("many", 5, gpus=8))
    assert report.workloads[0].placed == 4
    assert (runs(), report.seeds) == (5, 5)
