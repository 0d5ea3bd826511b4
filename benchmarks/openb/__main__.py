"""`make openb`: six policies on seventeen workloads, ten seeds each, beside what was published.

Prints the table and writes build/openb.json. Exits with 1 where it is further from what was published
than it is held to be.
"""

import json
import statistics
import sys

from benchmarks.openb.published import published
from benchmarks.openb.runs import BUILD, SEEDS, Job, data, outcomes
from benchmarks.openb.tables import DIGIT, against_published, held, verdict
from benchmarks.openb.trace import WORKLOADS

POLICIES = ("Random", "DotProd", "GpuClustering", "GpuPacking", "BestFit", "FGD")


def main(arguments: list[str]) -> None:
    folder, results = data(arguments)
    cells = [(workload, policy) for workload in WORKLOADS for policy in POLICIES]
    jobs = [Job(folder, *cell, "first", seed) for cell in cells for seed in SEEDS]
    found = outcomes(jobs)
    theirs = published(results)
    rows: list[dict[str, str | float]] = []
    for index, (workload, policy) in enumerate(cells):
        runs = found[index * len(SEEDS) : (index + 1) * len(SEEDS)]
        row: dict[str, str | float] = {
            "workload": workload,
            "policy": policy,
            "mean": round(statistics.mean(one.allocated for one in runs), 3),
            "sd": round(statistics.stdev(one.allocated for one in runs), 3),
            "fragment": round(statistics.mean(one.fragment for one in runs), 3),
        }
        if (known := theirs.get((workload, policy))) is not None:
            row["published_mean"] = round(known.allocated, 3)
            row["published_sd"] = round(known.deviation, 3)
            row["published_fragment"] = round(known.fragment, 3)
            row["runs"] = len(runs)
            row["equal"] = sum(
                abs(one.allocated - known.runs[seed]) <= DIGIT
                for seed, one in zip(SEEDS, runs, strict=True)
                if seed in known.runs
            )
        rows.append(row)
    BUILD.mkdir(exist_ok=True)
    (BUILD / "openb.json").write_text(json.dumps(rows, indent=1) + "\n")
    print(against_published(rows))
    if not theirs:
        print(f"no results of the authors in {results}: nothing to compare with", file=sys.stderr)
        return
    print(verdict(rows))
    if not held(rows):
        raise SystemExit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
