"""Configuration files of programs: what is shipped is made from the tables."""

import runpy
from pathlib import Path

from gpuspec.validation.configurations import told_by, violations

ROOT = Path(__file__).parents[2]


def test_what_is_shipped_is_made_from_the_tables() -> None:
    made = runpy.run_path(str(ROOT / "schemas" / "make_configurations.py"))
    file = ROOT / "schemas" / "configurations" / "configurations.json"
    assert made["text"]() == file.read_text(encoding="utf-8")


def test_a_file_is_told_by_its_keys_in_whatever_capitals() -> None:
    known = told_by("file", {"Sharing": {"TimeSlicing": {}}})
    assert known is not None
    assert known.title == "NVIDIA's device plugin"
    assert told_by("file", {"sharing": {"tables": 1}}) is None
    assert told_by("file", {"sharing": "timeSlicing"}) is None


def test_what_it_holds_may_be_anything() -> None:
    known = told_by("file", {"mig-configs": {}})
    assert known is not None
    odds: list[object] = [None, 1, "x", [None], {"a": None}, {"a": [1]}, {"a": [{"devices": []}]}]
    for odd in odds:
        assert violations(known, {"version": "v1", "mig-configs": odd})
