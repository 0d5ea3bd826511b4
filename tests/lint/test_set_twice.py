"""GPU770: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: x}
spec:
  containers:
    - {name: main, image: "example.com/train:1", env: [ENV], ports: [PORTS]}
"""
RAY = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: x}
spec:
  headGroupSpec:
    rayStartParams: {}
    template:
      spec:
        containers:
          - {name: main, image: "example.com/ray:1", env: [ENV], ports: [PORTS]}
"""


def said(env: str = "", ports: str = "", *, of: str = POD) -> list[str]:
    text = of.replace("ENV", env).replace("PORTS", ports)
    return [one.found.message for one in raised(text) if one.rule.code == "GPU770"]


@pytest.mark.parametrize(
    ("env", "ports"),
    [
        ("{name: A, value: x}, {name: a, value: x}", ""),
        ("{name: '{{ .Values.a }}', value: x}, {name: '{{ .Values.a }}', value: y}", ""),
        ("", "{containerPort: 53, protocol: TCP}, {containerPort: 53, protocol: UDP}"),
        ("", "{containerPort: 8000, name: http}, {containerPort: 8001, name: grpc}"),
        ("{value: x}, {value: y}, x", "{name: http}, {name: http}"),
    ],
)
def test_what_differs_in_its_key_is_quiet(env: str, ports: str) -> None:
    assert said(env, ports) == []


def test_a_port_twice_is_said_whatever_it_is_called() -> None:
    (message,) = said("", "{containerPort: 8000, name: http}, {containerPort: 8000, name: api}")
    assert message.startswith("port 8000 is listed twice: server-side apply")


def test_each_entry_but_the_first_is_said() -> None:
    entries = ("{name: A, value: x}", "{name: A, value: y}", "{name: A}")
    assert len(said(", ".join(entries))) == 2


def test_of_a_custom_kind_the_definition_decides() -> None:
    (message,) = said("{name: A, value: x}, {name: A, value: y}", of=RAY)
    assert "whose definition of `RayCluster` keys the list" in message
