"""GPU820, and GPU018 of the same file: what an endpoint picker's configuration names."""

from typing import Any

import pytest
import yaml

from tests.lint.patched import of
from tests.lint.plain import an, text

PLUGINS = [{"type": "queue-scorer"}, {"type": "max-score-picker", "name": "best"}]
PROFILE = {
    "name": "a",
    "plugins": [{"pluginRef": "queue-scorer", "weight": 2}, {"pluginRef": "best"}],
}
HANDLER = {
    "type": "disagg-profile-handler",
    "parameters": {"deciders": {"prefill": "queue-scorer"}},
}
DECIDER = "prefix-based-pd-decider"


def _said(code: str = "GPU820", **fields: Any) -> list[tuple[str, str]]:
    value = {"plugins": PLUGINS, "schedulingProfiles": [PROFILE], **fields}
    config = an("v1", "ConfigMap", "picker", data={"config.yaml": yaml.safe_dump(value)})
    return [(one.severity, one.message) for one in of(code, text(config))]


def _two(*more: dict[str, Any]) -> dict[str, Any]:
    profiles = [PROFILE, {**PROFILE, "name": "b"}]
    return {"schedulingProfiles": profiles, "plugins": [*PLUGINS, *more]}


@pytest.mark.parametrize(
    ("fields", "severity", "words"),
    [
        (
            {"schedulingProfiles": [{"name": "a", "plugins": [{"pluginRef": "max-score-picker"}]}]},
            "error",
            "no plugin is named `max-score-picker`",
        ),
        ({"plugins": [*PLUGINS, {"type": "queue-scorer"}]}, "error", "two plugins"),
        (_two({"type": "single-profile-handler"}), "error", "allows one profile"),
        (_two(), "warning", "no plugin chooses"),
        (
            _two({"type": "pd-profile-handler", "parameters": {"deciders": {"prefill": "x"}}}),
            "error",
            "no plugin is named `x`",
        ),
        (
            {"plugins": [*PLUGINS, {"type": "queu-scorer"}]},
            "warning",
            "no release of a picker has `queu-scorer`",
        ),
        (
            {"featureGates": ["flowControll"]},
            "warning",
            "no release of a picker has `flowControll`",
        ),
        (
            {
                "plugins": [*PLUGINS, {"type": "random-picker"}],
                "schedulingProfiles": [
                    {
                        "name": "a",
                        "plugins": [{"pluginRef": "best"}, {"pluginRef": "random-picker"}],
                    }
                ],
            },
            "error",
            "has 2 pickers",
        ),
        ({"plugins": [*PLUGINS, {"type": DECIDER}]}, "warning", "is off"),
        (
            {"plugins": [*PLUGINS, {"type": DECIDER, "parameters": {"nonCachedTokens": 0}}]},
            "warning",
            "is off",
        ),
    ],
)
def test_what_is_wrong(fields: dict[str, Any], severity: str, words: str) -> None:
    ((level, message),) = _said(**fields)
    assert level == severity
    assert words in message


@pytest.mark.parametrize(
    "fields",
    [
        {},
        _two(HANDLER),
        {"plugins": [*PLUGINS, {"type": DECIDER, "parameters": {"nonCachedTokens": 16}}]},
        {"plugins": [{"type": "${SCORER}"}]},
        {"plugins": "none"},
        {"schedulingProfiles": None},
        {"schedulingProfiles": [{"plugins": [None, {"pluginRef": 7}]}]},
    ],
)
def test_what_is_right_or_no_such_file(fields: dict[str, Any]) -> None:
    assert _said(**fields) == []


@pytest.mark.parametrize(
    "fields",
    [
        {"plugins": [*PLUGINS, {"name": "x"}]},
        {"plugins": [*PLUGINS, {"type": "x", "params": {}}]},
        {"schedulingProfiles": [{"name": "a", "plugins": [{"plugin": "best"}]}]},
    ],
)
def test_what_cannot_be_decoded(fields: dict[str, Any]) -> None:
    assert {level for level, _ in _said("GPU018", **fields)} == {"error"}


def test_keys_of_other_releases_are_left_alone() -> None:
    more = {"saturationDetector": {"queueDepthThreshold": 5}, "brandNew": {}, "featureGates": ["a"]}
    assert _said("GPU018", **more) == []
