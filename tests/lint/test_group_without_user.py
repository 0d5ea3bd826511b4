"""GPU872: beyond what its page shows."""

import pytest

from tests.lint.pages import raised
from tests.lint.plain import POD

OF_POD = "spec:\n  securityContext: {{runAsGroup: 44{}}}"


def codes(text: str) -> list[str]:
    return [one.rule.code for one in raised(text)]


@pytest.mark.parametrize(
    ("more", "said"), [("", True), (", fsGroup: 44", True), (", runAsUser: 0", False)]
)
def test_a_user_beside_the_group_is_enough(more: str, said: bool) -> None:
    assert ("GPU872" in codes(POD.replace("spec:", OF_POD.format(more), 1))) is said


def test_a_group_of_a_container_alone_is_none_of_the_sandbox() -> None:
    text = POD.replace("image:", "securityContext: {runAsGroup: 44}\n      image:", 1)
    assert "runAsGroup" in text
    assert "GPU872" not in codes(text)
