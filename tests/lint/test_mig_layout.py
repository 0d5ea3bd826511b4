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
    ("layout", "words"),
    [
        ('"3g.40gb": 3, "1g.10gb": 1', "it takes 10 compute slices, and a GPU has 7"),
        ('"3g.40gb": 2, "1g.10gb": 1', "no places for all of these slices"),
        ('"5g.40gb": 1', "no GPU that is known has the profile `5g.40gb`"),
        ('"3g.40gb": 1, "1g.5gb": 1', "no GPU has all of"),
    ],
)
def test_what_no_gpu_can_hold(layout: str, words: str) -> None:
    (said,) = [
        one.found.message
        for one in raised(CONFIG.replace("LAYOUT", layout))
        if one.rule.code == "GPU319"
    ]
    assert words in said


@pytest.mark.parametrize(
    "layout", ['"3g.40gb": 2', '"1g.10gb": 7', '"2g.20gb": 3, "1g.10gb": 1', '"1g.10gb": X']
)
def test_what_one_can(layout: str) -> None:
    assert "GPU319" not in [one.rule.code for one in raised(CONFIG.replace("LAYOUT", layout))]
