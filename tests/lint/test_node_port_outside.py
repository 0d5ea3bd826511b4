"""GPU874: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

SERVICE = """\
apiVersion: v1
kind: Service
metadata: {{name: chat, namespace: ml}}
spec:
  type: NodePort
  selector: {{app: chat}}
  ports: [{{port: 8000, nodePort: {}}}]
"""


@pytest.mark.parametrize(
    ("number", "said"),
    [
        ("29999", True),
        ("30000", False),
        ("32767", False),
        ("32768", True),
        ("0", False),
        ("null", False),
    ],
)
def test_the_ends_of_the_range(number: str, said: bool) -> None:
    assert ("GPU874" in [one.rule.code for one in raised(SERVICE.format(number))]) is said
