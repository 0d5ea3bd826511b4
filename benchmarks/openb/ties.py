"""`make openb-ties`: what is left of each method when ties are broken as kube-scheduler does.

The published runs give a tie to the node whose name is first; kube-scheduler draws one of them.
Prints the table and writes build/openb-ties.json.
"""

import json
import statistics
import sys

from benchmarks.openb.replay import Ties
from benchmarks.openb.runs import BUILD, SEEDS, Job, data, outcomes
from benchmarks.openb.tables import by_ties
from benchmarks.openb.trace import WORKLOADS

_SEEDS = SEEDS[:5]
METHODS: tuple[tuple[str, Ties], ...] = (
    ("FGD", "first"),
    ("FGD", "random"),
    ("FGD by demand", "first"),
    ("FGD by demand", "random"),
    ("BestFit", "random"),
    ("MostAllocated", "random"),
    ("DefaultScheduler", "random"),
)


def main(arguments: list[str]) -> None:
    folder, _ = data(arguments)
    cells = [(workload, *method) for workload in WORKLOADS for method in METHODS]
    found = outcomes([Job(folder, *cell, seed) for cell in cells for seed in _SEEDS])
    rows: list[dict[str, str | float]] = []
    for index, (workload, policy, ties) in enumerate(cells):
        runs = found[index * len(_SEEDS) : (index + 1) * len(_SEEDS)]
        rows.append(
            {
                "workload": workload,
                "policy": policy,
                "ties": ties,
                "mean": round(statistics.mean(one.allocated for one in runs), 3),
                "sd": round(statistics.stdev(one.allocated for one in runs), 3),
                "whole": round(statistics.mean(one.whole for one in runs), 1),
            }
        )
    BUILD.mkdir(exist_ok=True)
    (BUILD / "openb-ties.json").write_text(json.dumps(rows, indent=1) + "\n")
    print(by_ties(rows))


if __name__ == "__main__":
    main(sys.argv[1:])
