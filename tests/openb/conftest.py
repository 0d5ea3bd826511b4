"""A made-up trace, small enough to be replayed in no time, written as the public one is."""

import random
from pathlib import Path

import pytest

from benchmarks.openb.trace import NODES

MACHINES = [
    ("n-0", 96_000, 384_000, 8, "G2"),
    ("n-1", 96_000, 384_000, 8, "G2"),
    ("n-2", 128_000, 768_000, 8, "G3"),
    ("n-3", 64_000, 262_144, 2, "P100"),
    ("n-4", 32_000, 128_000, 2, "T4"),
    ("n-5", 32_000, 128_000, 1, "T4"),
]


@pytest.fixture(scope="session")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder; workload `default` has models that tasks insist on, `multigpu20` no such column."""
    folder = tmp_path_factory.mktemp("openb")
    lines = ["sn,cpu_milli,memory_mib,gpu,model"]
    lines += [",".join(map(str, one)) for one in reversed(MACHINES)]
    (folder / f"{NODES}.csv").write_text("\n".join(lines) + "\n")
    draw = random.Random(7)
    tasks = ["name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos"]
    plain = ["name,cpu_milli,memory_mib,num_gpu,gpu_milli"]
    for index in range(24):
        gpus, milli = draw.choice([(0, 0), (1, 1000), (1, 1000), (1, 460), (1, 230), (2, 1000)])
        gpus, milli = (8, 1000) if index % 12 == 0 else (gpus, milli)
        cpu, memory = draw.choice([2000, 6000, 12_000, 30_000]), draw.choice([8192, 40_000])
        model = draw.choice(["", "", "G2|G3"]) if gpus else ""
        row = f"task-{index:04},{cpu},{memory},{gpus},{milli}"
        plain.append(row)
        tasks.append(f"{row},{model},LS")
    (folder / "openb_pod_list_default.csv").write_text("\n".join(tasks) + "\n")
    (folder / "openb_pod_list_multigpu20.csv").write_text("\n".join(plain) + "\n")
    return folder
