"""What a value may be."""

import pytest

from gpuspec.keys.forms import form_of


@pytest.mark.parametrize(
    ("form", "value"),
    [
        ({"one": "INFO WARN", "fold": True}, "info"),
        ({"one": "binpack spread"}, "spread"),
        ({"go": "boolean"}, "T"),
        ({"list": "compute utility all"}, "compute, utility,"),
        ({"whole": {"least": 0, "most": 10}}, "10"),
        ({"integer": {}}, " -1 "),
        ({"integer": {}}, "0x40"),
        ({"integer": {}}, "1_000"),
        ({"number": {"above": 0, "most": 100}}, "0.5"),
        ({"duration": {"least": 6, "most": 3600}}, "1m30.5s"),
        ({"duration": {"least": 0}}, "0"),
        ({"quantity": {}}, "250m"),
        ({"release": {}}, "10.3.0"),
        ({"name": {}}, "team-a.x"),
        ({"one": "true false", "or": {"duration": {"above": 0}}}, "5m"),
        ({"json": "array"}, '[{"a": 1}]'),
        ({"options": {}}, "expandable_segments:True"),
        ({"interfaces": ""}, "eth0"),
        ({"interfaces": ""}, "eth0,eth1"),
        ({"interfaces": "prefixed"}, "^lo,docker,veth"),
        ({"interfaces": "prefixed"}, "^=lo,docker0"),
        ({"interfaces": "prefixed"}, "=eth0"),
        ({"options": {}}, "roundup_power2_divisions:[256:1,512:2],max_split_size_mb:128"),
    ],
)
def test_what_a_reader_takes_is_taken(form: dict[str, object], value: str) -> None:
    assert form_of(form).takes(value)


@pytest.mark.parametrize(
    ("form", "value", "meant"),
    [
        ({"integer": {}}, "true", "1"),
        ({"integer": {}}, "Off", "0"),
        ({"one": "true false"}, "True", "true"),
        ({"one": "true 1 false 0"}, "yes", "true"),
        ({"one": "1 0"}, "false", "0"),
        ({"one": "Standard Knative"}, "standard", "Standard"),
        ({"one": "binpack spread"}, "1", None),
        ({"integer": {}}, "many", None),
        ({"quantity": {}}, "true", None),
        ({"release": {}}, "gfx1030", None),
        ({"release": {}}, "11.0", None),
        ({"interfaces": ""}, "^lo,docker,veth", None),
        ({"interfaces": ""}, "=eth0", None),
        ({"interfaces": "prefixed"}, "^lo,^docker0", None),
    ],
)
def test_another_spelling_of_a_value_is_told(
    form: dict[str, object], value: str, meant: str | None
) -> None:
    assert form_of(form).meant(value) == meant


def test_a_text_without_end_is_read_in_no_time() -> None:
    for name, told in (("duration", {}), ("options", {}), ("list", "a"), ("number", {})):
        assert not form_of({name: told}).takes("9," * 200_000 + "[" + "1" * 200_000)


@pytest.mark.parametrize(
    ("form", "value", "said"),
    [
        ({"one": "INFO WARN"}, "info", "`INFO` or `WARN`"),
        ({"go": "boolean"}, "on", "`true` or `false`"),
        ({"list": "compute utility"}, "compute;utility", "a list of `compute` or `utility`"),
        ({"whole": {"least": 0, "most": 10}}, "11", "a whole number from 0 to 10"),
        ({"whole": {"least": 1}}, "0", "a whole number of at least 1"),
        ({"whole": {"least": 1}}, "many", "a whole number of at least 1"),
        ({"integer": {}}, "true", "a number"),
        ({"number": {"above": 0, "most": 100}}, "0", "a number above 0 and at most 100"),
        ({"number": {"least": 0.01}}, "-1", "a number of at least 0.01"),
        (
            {"duration": {"least": 6, "most": 3600}},
            "5s",
            "a duration such as `90s` from 6s to 3600s",
        ),
        ({"duration": {"least": 0}}, "-5s", "a duration such as `90s` of at least 0s"),
        (
            {"duration": {"least": 6, "most": 3600}},
            "60",
            "a duration such as `90s` from 6s to 3600s",
        ),
        (
            {"one": "true false", "or": {"duration": {"above": 0}}},
            "0s",
            "`true` or `false`, or a duration such as `90s` above 0s",
        ),
        ({"release": {}}, "11", "three numbers with dots, such as `10.3.0`"),
        ({"quantity": {}}, "2 GB", "an amount such as `500m` or `2Gi`"),
        ({"name": {}}, "Team_A", "a name of lowercase letters, digits, `-` and `.`"),
        ({"json": "array"}, "{}", "a JSON array"),
        ({"json": "object"}, "[" * 100_000, "a JSON object"),
        (
            {"options": {}},
            "expandable_segments=True",
            "`name:value` pairs, separated by commas",
        ),
    ],
)
def test_anything_else_is_not_and_what_is_expected_is_said(
    form: dict[str, object], value: str, said: str
) -> None:
    made = form_of(form)
    assert not made.takes(value)
    assert made.says() == said
