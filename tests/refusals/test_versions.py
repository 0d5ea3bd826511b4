"""What a version is asked: what its file says, and after the newest whose code was read, what that is."""

import importlib.util
from copy import copy
from pathlib import Path as File
from types import ModuleType
from typing import Any

import pytest

from gpuspec.kubernetes import VERSIONS
from gpuspec.manifests import Path
from gpuspec.validation.bundle import load
from gpuspec.validation.nodes import root
from gpuspec.validation.walk import faults
from tests.refusals.judge import NEWEST, Object
from tests.refusals.test_stories import STORIES, changed

AFTER = "1.99"


def script() -> ModuleType:
    """The script that makes the tables."""
    file = File(__file__).parents[2] / "schemas" / "make_apiserver.py"
    spec = importlib.util.spec_from_file_location("make_apiserver", file)
    assert spec
    assert spec.loader
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def refused(value: Object, version: str, tables: str) -> list[Path]:
    """Where functions and tables of these versions refuse an object."""
    bundle = copy(load(tables))
    bundle.name = version
    kind = (value["apiVersion"], value["kind"])
    return [one.path for one in faults(root(bundle, kind), value) if one.reason == "refused"]


def test_tables_ask_of_a_later_version_what_they_ask_of_the_newest() -> None:
    made = script()
    assert made.text(AFTER) == made.text(NEWEST)
    assert made.text("1.36") != made.text(NEWEST)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_file_is_what_the_tables_make(version: str) -> None:
    made = script()
    assert made.file(version).read_text(encoding="utf-8") == made.text(version)


@pytest.mark.parametrize("story", STORIES, ids=lambda one: f"{one['of']} {one['at']}")
def test_functions_ask_of_a_later_version_what_they_ask_of_the_newest(
    story: dict[str, Any],
) -> None:
    for change in (story["bad"], story["good"]):
        value = changed(story["of"], change)
        assert refused(value, AFTER, NEWEST) == refused(value, NEWEST, NEWEST)


def test_there_are_stories_that_functions_of_the_newest_alone_refuse() -> None:
    values = [changed(story["of"], story["bad"]) for story in STORIES]
    assert any(refused(one, "1.36", NEWEST) != refused(one, NEWEST, NEWEST) for one in values)
