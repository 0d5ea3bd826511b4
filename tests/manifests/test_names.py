"""What may be a name and what may be a label."""

from collections.abc import Callable

import pytest

from gpuspec.manifests import dns_1035_label, dns_label, dns_subdomain, label_key, label_value


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (
            dns_label,
            ["a", "a-1", "1a", "a" * 63],
            ["", "A", "-a", "a-", "a.b", "a_b", "é", "a\n", "a" * 64],
        ),
        (dns_1035_label, ["a", "a-1"], ["", "1a", "a-", "A", "a" * 64]),
        (
            dns_subdomain,
            ["a", "a.b-c.1", "a" * 253],
            ["", "a..b", ".a", "a.", "a.-b", "A.b", "a/b", "a" * 254],
        ),
        (
            label_key,
            ["a", "A_b.c-1", "nvidia.com/gpu", "a" * 63, f"{'a' * 253}/{'b' * 63}"],
            ["", "/a", "a/", "a/b/c", "A.com/x", "-a", "a b", "a" * 64, f"a/{'b' * 64}"],
        ),
        (label_value, ["", "a", "A_b.c-1", "a" * 63], ["-a", "a-", "a/b", "a b", "é", "a" * 64]),
    ],
)
def test_names(check: Callable[[str], str | None], good: list[str], bad: list[str]) -> None:
    for name in good:
        assert check(name) is None, name
    for name in bad:
        assert check(name), name


def test_reasons() -> None:
    assert dns_label("a" * 64) == "is 64 characters long; at most 63 are allowed"
    assert "begin with a letter" in str(dns_1035_label("1a"))
    assert str(label_key("A.com/x")).startswith("has 'A.com' before '/', which may hold only")
    assert label_key("a/") == "has nothing after '/'"
    said = label_key("eks.amazonaws.com/role-arn:")
    assert said is not None
    assert said.startswith("has 'role-arn:' after '/', which may hold only letters, digits")
