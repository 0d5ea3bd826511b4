"""GPU018: what programs of the platform cannot read of their configuration files."""

import json
from typing import Any

import pytest

from gpuspec.lint.model import Finding
from tests.lint.pages import raised

MAP = """apiVersion: v1
kind: ConfigMap
metadata: {{name: plugin, namespace: gpu-operator}}
data:
  note: of the team
  file: |
{text}
"""


def said(text: str) -> list[Finding]:
    lines = "\n".join(f"    {line}" for line in text.splitlines())
    found = [one.finding() for one in raised(MAP.format(text=lines))]
    return [one for one in found if one.rule == "GPU018"]


def of_plugin(value: dict[str, Any]) -> list[Finding]:
    return said(json.dumps({"version": "v1", **value}, indent=2))


SHARED = {"sharing": {"timeSlicing": {"resources": [{"name": "nvidia.com/gpu", "replicas": 4}]}}}


def test_the_line_is_that_of_the_file_in_the_block() -> None:
    (found,) = said(
        "version: v1\n"
        "sharing:\n"
        "  timeSlicing:\n"
        "    resources:\n"
        '      - {name: nvidia.com/gpu, replicas: "4"}\n'
    )
    assert (found.line, found.column, found.end_column) == (11, 46, 49)
    assert found.message == (
        '`replicas`: expected an integer, not the string "4": the device plugin does not start, so '
        "that its nodes advertise no GPU"
    )
    assert found.note == "write 4, without quotes"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_line_is_the_same_whatever_ends_lines(end: str) -> None:
    text = MAP.format(text='    version: v1\n    flags:\n      migStrategy: "mixd"\n')
    found = [one.finding() for one in raised(text.replace("\n", end))]
    assert [(one.line, one.column) for one in found if one.rule == "GPU018"] == [(9, 20)]


def test_what_is_no_block_is_shown_whole() -> None:
    text = json.dumps({"version": "v2", **SHARED})
    value = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "a"},
        "data": {"a": text},
    }
    (found,) = [one.finding() for one in raised(json.dumps(value)) if one.rule.code == "GPU018"]
    assert (found.line, found.path) == (1, "data.a")


@pytest.mark.parametrize(
    ("more", "note"),
    [
        (
            {"flags": {"renameByDefault": True}},
            "`renameByDefault` belongs in `sharing.timeSlicing`",
        ),
        ({"migStrategy": "mixed"}, "`migStrategy` belongs in `flags`"),
        ({"flags": {"deviceIDStrategy": "index"}}, "`deviceIDStrategy` belongs in `flags.plugin`"),
        ({"flags": {"migStrategie": "mixed"}}, "did you mean `migStrategy`?"),
    ],
)
def test_what_the_plugin_does_not_read_is_a_warning(more: dict[str, Any], note: str) -> None:
    (found,) = of_plugin({**SHARED, **more})
    assert (found.severity, found.note) == ("warning", note)
    assert found.line > 6, "the key in the block, not the block's own"


@pytest.mark.parametrize(
    ("strategy", "wrong"),
    [("cdi-cri", []), (["envvar", "cdi-annotations"], []), (["envvar", "cdi"], ["error"])],
)
def test_a_device_list_is_passed_in_one_of_four_ways(strategy: object, wrong: list[str]) -> None:
    found = of_plugin({"flags": {"plugin": {"deviceListStrategy": strategy}}})
    assert [one.severity for one in found] == wrong
    assert all("`cdi-annotations`" in one.message for one in found)


def test_go_reads_keys_in_other_capitals() -> None:
    assert of_plugin({**SHARED, "flags": {"migstrategy": "mixed"}}) == []


@pytest.mark.parametrize(
    ("text", "said_of"),
    [
        ("version: v1\nmig-configs: {}", "expected at least one field"),
        ("mig-configs: {a: [{devices: all, mig-enabled: false}]}", "required field `version`"),
        ("version: v1\nmig-configs: {a: [{devices: all}]}", "required field `mig-enabled`"),
        (
            'version: v1\nmig-configs: {a: [{devices: all, mig-enabled: "true"}]}',
            "expected a boolean, not the string",
        ),
        (
            "version: v1\nmig-configs: {a: [{device: all, devices: all, mig-enabled: false}]}",
            "unknown field `device`",
        ),
    ],
)
def test_the_mig_manager_reads_all_or_nothing(text: str, said_of: str) -> None:
    (found,) = said(text)
    assert found.severity == "error"
    assert said_of in found.message


@pytest.mark.parametrize(
    "text",
    [
        "sharing: of tables\nnothing: else",
        "version: v1\nflags: {verbose: true}",
        "version: v1\nmig-configs: {a: [{devices: [0, 1], mig-enabled: true, mig-devices: {1g.10gb: 7}}]}",
        "{{ not yaml",
    ],
)
def test_what_is_right_or_somebody_elses_is_silent(text: str) -> None:
    assert said(text) == []
