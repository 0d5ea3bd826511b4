"""A changed Job is a new Job; nothing else is."""

import re

import pytest

from gpuspec.plan import provenance
from tests.stories.conftest import Desk, MakeSpec


def name(desk: Desk, more: str = "") -> str:
    done = desk.run(f"render a.yaml {more}")
    assert done.code == 0, done.said
    (found,) = re.findall(r"^  name: (a-\w+)$", done.out, re.MULTILINE)
    return found


def test_what_is_immutable_changes_the_name(desk: Desk, spec: MakeSpec) -> None:
    desk.write("a.yaml", spec("a"))
    first = name(desk)
    for more in (
        "  env: {A: '1'}\n",
        "  duration: {max: 3h}\n",
        "  overrides:\n  - {kind: Job, patch: {spec: {template: {spec: {hostname: x}}}}}\n",
    ):
        desk.write("a.yaml", spec("a", more))
        assert name(desk) != first, more


def test_what_is_not_in_the_jobs_spec_does_not(desk: Desk, spec: MakeSpec) -> None:
    desk.write("a.yaml", spec("a"))
    first = name(desk)
    for more in (
        "  # a comment\n",
        "  overrides:\n  - {kind: Job, patch: {metadata: {annotations: {a: b}}}}\n",
    ):
        desk.write("a.yaml", spec("a", more))
        assert name(desk) == first, more


def test_a_new_version_of_the_tool_does_not(
    desk: Desk, spec: MakeSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("a.yaml", spec("a"))
    desk.write(
        "full.yaml",
        "apiVersion: gpuspec.dev/v1alpha1\nkind: ClusterProfile\nmetadata: {name: full}\n"
        'spec: {kubernetes: "1.36", extends: generic, provenance: full}\n',
    )
    before, full = desk.run("render a.yaml").out, desk.run("render a.yaml -c full.yaml").out
    monkeypatch.setattr(provenance, "__version__", "99.0.0")
    assert desk.run("render a.yaml").out == before
    after = desk.run("render a.yaml -c full.yaml").out
    assert "99.0.0" in after
    assert re.sub(r"version: .*", "", after) == re.sub(r"version: .*", "", full)
