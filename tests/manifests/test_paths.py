"""Paths as they are written for people."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuspec.manifests import Path, format_path, parse_path


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("spec",), "spec"),
        (
            ("spec", "containers", 0, "resources", "limits", "nvidia.com/gpu"),
            'spec.containers[0].resources.limits["nvidia.com/gpu"]',
        ),
        ((0, "a"), "[0].a"),
        (("a", ""), 'a[""]'),
        (("a", "0"), 'a["0"]'),
        (("my-key", 'quo"te'), '["my-key"]["quo\\"te"]'),
    ],
)
def test_paths(path: Path, text: str) -> None:
    assert format_path(path) == text
    assert parse_path(text) == path


@given(st.lists(st.one_of(st.text(), st.integers(min_value=0))).map(tuple))
def test_parse_is_the_inverse(path: Path) -> None:
    assert parse_path(format_path(path)) == path


@pytest.mark.parametrize(
    "text",
    [".", "a.", ".a", "a..b", "a[", "a[x]", "a[01]", "a[-1]", 'a["]', "a b", 'a["\\x"]', "[0]a"],
)
def test_what_is_no_path(text: str) -> None:
    with pytest.raises(ValueError, match="not a path at column"):
        parse_path(text)
