"""Quick looks at the public trace."""

import pytest

from benchmarks.openb.arrivals import drawn
from benchmarks.openb.fleet import Fleet
from benchmarks.openb.gradient import Fragments, by_demand, published
from benchmarks.openb.published import published as results
from benchmarks.openb.replay import replay
from benchmarks.openb.tables import DIGIT
from benchmarks.openb.trace import FULL, WORKLOADS, machines, tasks
from gpuspec.fleet.fragments import Metric
from tests.outside import OPENB

FOLDER = OPENB / "csv"

pytestmark = pytest.mark.outside(FOLDER)


def test_its_size() -> None:
    assert (len(machines(FOLDER)), sum(one.gpus for one in machines(FOLDER))) == (1213, 6212)
    known = tasks(FOLDER, "default")
    assert (len(known), sum(one.demand for one in known)) == (8152, 6_086_800)
    line, order, _ = drawn(known, machines(FOLDER), 42)
    assert sum(one.demand for one in line) // 62_120 in (129, 130)
    assert len(order) == 1213


def test_every_workload_has_published_results() -> None:
    found = results(OPENB / "fgd_expected_results")
    assert len(found) == 102 and {workload for workload, _ in found} == set(WORKLOADS)
    assert found["default", "FGD"].allocated == pytest.approx(95.227, abs=0.0006)
    assert found["default", "FGD"].deviation == pytest.approx(0.106, abs=0.0006)


def test_the_published_classes_see_no_large_task() -> None:
    classes = published(tasks(FOLDER, "default"))
    assert len(classes) == 35 and max(one.count for one in classes) == 1
    assert max(one.count for one in by_demand(tasks(FOLDER, "default"))) == 8


def test_the_fragment_of_the_empty_fleet() -> None:
    """Published: 13.9 to 14.1 % of all GPUs before the first task, 13.6 % on nodes of model G2."""
    fragments = Fragments(Metric(published(tasks(FOLDER, "default"))))
    fleet = Fleet(machines(FOLDER))
    total = sum(fragments.node(fleet, node) for node in range(len(fleet.machines)))
    assert 13.8 < total / fragments.metric.weight / FULL / 62.12 < 14.1
    usual = next(i for i, one in enumerate(fleet.machines) if one.model == "G2")
    assert round(fragments.node(fleet, usual) / fragments.metric.weight / 8000, 4) == 0.1360


@pytest.mark.parametrize(
    ("workload", "policy", "seed"),
    [
        ("default", "FGD", 42),
        ("default", "BestFit", 43),
        ("gpuspec33", "DotProd", 44),
        ("cpu250", "FGD", 42),
        ("multigpu50", "GpuPacking", 51),
        ("gpushare100", "GpuClustering", 47),
    ],
)
def test_a_run_is_the_published_one(workload: str, policy: str, seed: int) -> None:
    """To the last digit that was published; on `cpu250` doubles are needed for that."""
    found = replay(tasks(FOLDER, workload), machines(FOLDER), policy, "first", seed)
    theirs = results(OPENB / "fgd_expected_results")[workload, policy]
    assert abs(found.allocated - theirs.runs[seed]) <= DIGIT
