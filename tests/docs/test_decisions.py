"""`docs/decisions.md` says what each dependency is for, and its promises hold."""

import re
import tomllib
from pathlib import Path

import pytest

from gpuspec import schema
from gpuspec.spec.schema import KINDS

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "decisions.md").read_text()


def test_every_runtime_dependency_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = {re.split(r"[<>=]", one)[0].lower() for one in project["dependencies"]}
    explained = {name.lower() for name in re.findall(r"^\| \[([^\]]+)\]", PAGE, re.MULTILINE)}
    assert explained == needed


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_no_field_is_a_word_that_yaml_1_1_reads_as_a_boolean(kind: str) -> None:
    parts = [schema(kind), *schema(kind)["$defs"].values()]
    names = {name.lower() for part in parts for name in part.get("properties", {})}
    assert "spec" in names
    assert not names & {"y", "n", "yes", "no", "on", "off", "true", "false"}
