"""Targets that no example profile chooses, each with an example as it carries it.

`GPUSPEC_WRITE_GOLDENS=1` writes `goldens/<target>-<intent>.yaml` again; review the difference by eye.
"""

import os
from pathlib import Path

import pytest

import gpuspec
from gpuspec.targets import intent_of
from tests.targets.carried import ROOT, equipped

GOLDENS = Path(__file__).parent / "goldens"
PROFILE = str(ROOT / "examples/clusters/operators.yaml")
EXAMPLES = {
    "kserve": "chat",
    "nimservice": "nim-chat",
    "pytorchjob": "pretrain",
    "raycluster": "ray-chat",
    "tfjob": "ddp-train",
    "trainjob": "pretrain",
    "volcano": "pretrain",
}


@pytest.mark.parametrize("target", EXAMPLES)
def test_an_example_is_carried_as_it_was(target: str) -> None:
    (workload,) = gpuspec.load(str(ROOT / f"examples/{EXAMPLES[target]}.yaml"))
    made = gpuspec.render(workload, equipped(PROFILE), target=target)
    text = gpuspec.dump(made.objects)
    kept = GOLDENS / f"{target}-{intent_of(made.resolution)}.yaml"
    if os.environ.get("GPUSPEC_WRITE_GOLDENS"):
        kept.write_text(text, encoding="utf-8")
    assert text == kept.read_text(encoding="utf-8")
