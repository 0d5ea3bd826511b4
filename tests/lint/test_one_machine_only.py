"""GPU830: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: worker, namespace: ml}
spec:
  containers:
    - name: main
      image: example.com/worker:1
      MORE
"""


@pytest.mark.parametrize(
    ("more", "paths"),
    [
        ("imagePullPolicy: Never", ["spec.containers[0].imagePullPolicy"]),
        (
            "args: [--server, 'http://host.docker.internal:8000']",
            ["spec.containers[0].args[1]"],
        ),
        # Once for a script, however often it stands there.
        (
            "args: ['curl host.minikube.internal/a && curl host.minikube.internal/b']",
            ["spec.containers[0].args[0]"],
        ),
        ("env: [{name: A, valueFrom: {fieldRef: {fieldPath: status.hostIP}}}]", []),
        ("imagePullPolicy: IfNotPresent", []),
    ],
)
def test_what_only_one_machine_has(more: str, paths: list[str]) -> None:
    found = [one.finding() for one in raised(POD.replace("MORE", more))]
    assert [one.path for one in found if one.rule == "GPU830"] == paths
