"""GPU952: what its page does not show."""

import pytest

from tests.lint.pages import raised

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: one}
spec:
  SPEC
  containers:
    - {name: main, image: a/b:1, resources: {limits: {RESOURCE}}}
"""


def machine(name: str) -> str:
    return f"nodeSelector: {{node.kubernetes.io/instance-type: {name}}}"


def severities(spec: str, resource: str) -> list[str]:
    written = POD.replace("SPEC", spec).replace("RESOURCE", f"aws.amazon.com/{resource}")
    found = [one.finding() for one in raised(written) if one.rule.code == "GPU952"]
    return [finding.severity for finding in found]


@pytest.mark.parametrize(
    ("spec", "resource", "severity"),
    [
        (machine("inf2.48xlarge"), "neuron: 4", "warning"),
        (machine("inf2.48xlarge"), "neuroncore: 4", "warning"),
        ("hostNetwork: false", "neuron: 2", "info"),
        ("schedulerName: neuron-scheduler, hostNetwork: false", "neuron: 5", None),
    ],
)
def test_some_of_the_devices_of_a_machine(spec: str, resource: str, severity: str | None) -> None:
    assert severities(spec.replace(", ", "\n  "), resource) == ([severity] if severity else [])


@pytest.mark.parametrize(
    ("spec", "resource"),
    [
        (machine("inf2.48xlarge"), "neuron: 1"),
        (machine("inf2.48xlarge"), "neuron: 12"),
        (machine("inf2.xlarge"), "neuroncore: 2"),
        (machine("trn2.48xlarge"), "neuron: 16"),
        # All of some machine.
        ("hostNetwork: false", "neuron: 6"),
        ("hostNetwork: false", "neuroncore: 2"),
        ("schedulerName: volcano\n  " + machine("trn1.32xlarge"), "neuron: 5"),
        ("schedulerName: my-scheduler\n  " + machine("inf2.48xlarge"), "neuron: 5"),
    ],
)
def test_all_of_a_machine_one_or_another_scheduler(spec: str, resource: str) -> None:
    assert severities(spec, resource) == []
