"""Every format of fit and fleet reports, whole, as people and programs get it.

After a change that is meant: `GPUSPEC_WRITE_GOLDENS=1 pytest tests/report/fit/test_goldens.py`, and
read the difference.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuspec.report import fit, fleet
from tests.report.fit import fleets

HERE = Path(__file__).parent / "goldens"

OUTPUTS: dict[str, Callable[[], str]] = {
    "good.txt": lambda: fit.fit_text(fleets.good(), width=80),
    "mixed.txt": lambda: fit.fit_text(fleets.mixed(), width=80),
    "mixed-colour.txt": lambda: fit.fit_text(fleets.mixed(), width=80, color=True),
    "mixed-narrow.txt": lambda: fit.fit_text(fleets.mixed(), width=40),
    "mixed-piped.txt": lambda: fit.fit_text(fleets.mixed()),
    "mixed.json": lambda: fit.fit_json(fleets.mixed()),
    "mixed.md": lambda: fit.fit_markdown(fleets.mixed()),
    "mixed.html": lambda: fit.fit_html(fleets.mixed()),
    "mixed.svg": lambda: fit.fit_svg(fleets.mixed()),
    "hostile.txt": lambda: fit.fit_text(fleets.hostile(), width=80),
    "hostile.md": lambda: fit.fit_markdown(fleets.hostile()),
    "large.txt": lambda: fit.fit_text(fleets.large(), width=80),
    "crowded.txt": lambda: fit.fit_text(fleets.crowded(), width=80),
    "fleet.txt": lambda: fleet.fleet_text(fleets.fleet(), width=80),
    "fleet.json": lambda: fleet.fleet_json(fleets.fleet()),
    "fleet.md": lambda: fleet.fleet_markdown(fleets.fleet()),
    "fleet.html": lambda: fleet.fleet_html(fleets.fleet()),
    "fleet.svg": lambda: fleet.fleet_svg(fleets.fleet()),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_a_report_as_it_is_read(name: str) -> None:
    made = OUTPUTS[name]()
    path = HERE / name
    if os.environ.get("GPUSPEC_WRITE_GOLDENS"):
        path.write_text(made, encoding="utf-8")
    assert made == path.read_text(encoding="utf-8")
    assert made.endswith("\n")
    assert OUTPUTS[name]() == made
