"""GPU319: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

CONFIG = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: mig}
data:
  config.yaml: |
    version: v1
    mig-configs:
      one:
        - devices: [0]
          mig-enabled: true
          mig-devices: {LAYOUT}
"""


@pytest.mark.parametrize(
    ("layout", "words", "level"),
    [
        (
            '"3g.40gb": 3, "1g.10gb": 1',
            "the layout needs 10 compute slices, but a GPU has 7",
            "error",
        ),
        ('"3g.40gb": 2, "1g.10gb": 1', "these slices do not fit together", "error"),
        ('"5g.40gb": 1', "no GPU has the profile `5g.40gb`", "warning"),
        ('"3g.40gb": 1, "1g.5gb": 1', "no GPU has all of", "warning"),
    ],
)
def test_what_no_gpu_can_hold(layout: str, words: str, level: str) -> None:
    """A GPU that is not known may have other profiles."""
    (said,) = [
        one.finding()
        for one in raised(CONFIG.replace("LAYOUT", layout))
        if one.rule.code == "GPU319"
    ]
    assert words in said.message
    assert ("no known GPU" in said.message) is (level == "warning")
    assert said.severity == level


@pytest.mark.parametrize(
    "layout", ['"3g.40gb": 2', '"1g.10gb": 7', '"2g.20gb": 3, "1g.10gb": 1', '"1g.10gb": X']
)
def test_what_one_can(layout: str) -> None:
    assert "GPU319" not in [one.rule.code for one in raised(CONFIG.replace("LAYOUT", layout))]
