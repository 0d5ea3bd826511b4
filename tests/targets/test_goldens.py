"""Targets that no example profile chooses, and what stands around them, each with an example as it carries it.

`GPUSPEC_WRITE_GOLDENS=1` writes `goldens/<name>.yaml` again; review the difference by eye.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

import gpuspec
from gpuspec.spec.runtimes import Runtimes, TrainingRuntime
from tests.targets.test_contract import ROOT, equipped

GOLDENS = Path(__file__).parent / "goldens"
PROFILE = str(ROOT / "examples/clusters/operators.yaml")


class Carried(NamedTuple):
    """An example, by which target, and what spec and profile say besides."""

    example: str
    target: str
    spec: Mapping[str, Any] = MappingProxyType({})
    profile: Mapping[str, Any] = MappingProxyType({})


PLATFORM = Runtimes(training=TrainingRuntime(name="torch-distributed"))
WRAPPED = {"wrap": "appwrapper"}
GROUPED = {"kubernetes": "1.37", "installed": {"generic-workload": "1.37"}}
EXAMPLES = {
    "appwrapper-job": Carried("ddp-train", "job", WRAPPED),
    "appwrapper-jobset": Carried("pretrain", "jobset", WRAPPED),
    "job-podgroup": Carried("sft-tune", "job", {"queue": None}, GROUPED),
    "kserve-service": Carried("chat", "kserve"),
    "pytorchjob-gang": Carried("pretrain", "pytorchjob"),
    "tfjob-gang": Carried("ddp-train", "tfjob"),
    "trainjob-gang": Carried("pretrain", "trainjob"),
    "trainjob-roles": Carried("streamed-train", "trainjob"),
    "trainjob-runtime": Carried("pretrain", "trainjob", {}, {"runtimes": PLATFORM}),
    "volcano-gang": Carried("pretrain", "volcano"),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_carried_as_it_was(name: str) -> None:
    one = EXAMPLES[name]
    (workload,) = gpuspec.load(str(ROOT / f"examples/{one.example}.yaml"))
    asked = replace(workload.model.spec, **one.spec)
    workload = replace(workload, model=replace(workload.model, spec=asked))
    profile = equipped(PROFILE)
    said = replace(profile.spec, **one.profile)
    profile = replace(profile, model=replace(profile.model, spec=said))
    text = gpuspec.dump(gpuspec.render(workload, profile, target=one.target).objects)
    kept = GOLDENS / f"{name}.yaml"
    if os.environ.get("GPUSPEC_WRITE_GOLDENS"):
        kept.write_text(text, encoding="utf-8")
    assert text == kept.read_text(encoding="utf-8")
