"""The authors' own results: of each workload and policy the mean and deviation of ten runs."""

import csv
import statistics
from collections import defaultdict
from pathlib import Path

import msgspec

_ALLOCATED = "analysis_allo_discrete.csv"
_FRAGMENT = "analysis_frag_discrete.csv"
_FULL_LOAD = "100"
_PREFIX = "openb_pod_list_"


class Published(msgspec.Struct, frozen=True):
    """One cell, in percent of the fleet's GPUs, when as much has arrived as it has."""

    allocated: float
    deviation: float
    fragment: float
    runs: dict[int, float]
    """What was allocated in each run, by its seed, to a hundredth of a percent."""


def published(folder: Path) -> dict[tuple[str, str], Published]:
    """By workload and policy. Empty where the results are not beside the trace."""
    if not (folder / _ALLOCATED).is_file():
        return {}
    allocated, fragments = _read(folder / _ALLOCATED), _read(folder / _FRAGMENT)
    return {
        cell: Published(
            statistics.mean(runs.values()),
            statistics.stdev(runs.values()),
            statistics.mean(fragments[cell].values()),
            runs,
        )
        for cell, runs in allocated.items()
    }


def _read(file: Path) -> dict[tuple[str, str], dict[int, float]]:
    found: dict[tuple[str, str], dict[int, float]] = defaultdict(dict)
    with file.open(newline="") as text:
        for row in csv.DictReader(text):
            workload = row["workload"].removeprefix(_PREFIX)
            policy = row["sc_policy"].partition("-")[2]
            found[workload, policy][int(row["seed"])] = float(row[_FULL_LOAD])
    return found
