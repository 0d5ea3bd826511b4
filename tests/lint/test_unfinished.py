"""What an author has still to fill in is no fault; all else on a line with a comment is."""

import pytest

from tests.lint.pages import raised

POD = """
apiVersion: v1
kind: Pod
metadata: {{name: train}}
spec:
  containers:
    - name: main
      image: {image}
      resources: {{limits: {{nvidia.com/gpu: 1}}}}
"""


@pytest.mark.parametrize(
    ("image", "severity"),
    [
        ("# TODO: build it", "info"),
        ('"" # FIXME', "info"),
        ("", "error"),
        ('"" # the default', "error"),
    ],
)
def test_an_empty_value_is_asked_for_by_its_comment(image: str, severity: str) -> None:
    (said,) = [one for one in raised(POD.format(image=image)) if one.rule.code == "GPU020"]
    assert said.severity == severity


@pytest.mark.parametrize(
    ("image", "severity"),
    [
        ("registry.example.com/train # TODO: pin it", "warning"),
        ("your-registry/train", "warning"),
        ("image-name-here", "info"),
        ("train # YOUR IMAGE HERE", "info"),
    ],
)
def test_a_word_to_replace(image: str, severity: str) -> None:
    (said,) = [one for one in raised(POD.format(image=image)) if one.rule.code == "GPU906"]
    assert said.severity == severity


def test_a_file_with_several_words_to_replace_is_no_error() -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: <name>, namespace: {}}}\n"
    for namespace, severity in (("serving", "error"), ("<namespace>", "warning")):
        found = [one for one in raised(text.format(namespace)) if one.rule.code == "GPU015"]
        assert [one.severity for one in found] == [severity]
