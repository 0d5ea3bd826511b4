"""Targets that no example profile chooses, each with an example as it carries it.

`GPUSPEC_WRITE_GOLDENS=1` writes `goldens/<target>-<intent>.yaml` again; review the difference by eye.
"""

import os
from pathlib import Path

import pytest

import gpuspec
from tests.targets.test_contract import ROOT, equipped

GOLDENS = Path(__file__).parent / "goldens"
PROFILE = str(ROOT / "examples/clusters/operators.yaml")
EXAMPLES = {"pytorchjob": "pretrain", "tfjob": "ddp-train", "trainjob": "pretrain"}


@pytest.mark.parametrize(("target", "intent"), [(target, "gang") for target in EXAMPLES])
def test_an_example_is_carried_as_it_was(target: str, intent: str) -> None:
    (workload,) = gpuspec.load(str(ROOT / f"examples/{EXAMPLES[target]}.yaml"))
    made = gpuspec.dump(gpuspec.render(workload, equipped(PROFILE), target=target).objects)
    kept = GOLDENS / f"{target}-{intent}.yaml"
    if os.environ.get("GPUSPEC_WRITE_GOLDENS"):
        kept.write_text(made, encoding="utf-8")
    assert made == kept.read_text(encoding="utf-8")
