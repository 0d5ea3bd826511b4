"""GPU730: what Kueue's webhooks refuse of workloads, beyond what its page shows."""

import pytest

from tests.lint.pages import raised

DOMAIN = "kueue.x-k8s.io"
JOB = """apiVersion: batch/v1
kind: Job
metadata:
  name: train
  labels: {{{labels}}}
spec:
  template:
    metadata: {{annotations: {{{annotations}}}}}
    spec:
      restartPolicy: Never
      containers: [{{name: train, image: example.com/train:1}}]
"""


def said(labels: str = "", annotations: str = "") -> list[str]:
    found = raised(JOB.format(labels=labels, annotations=annotations))
    return [one.found.message for one in found if one.rule.code == "GPU730"]


@pytest.mark.parametrize("value", ["0", "-5", "1h", "'3600.5'", "''"])
def test_a_time_is_whole_seconds(value: str) -> None:
    written = f"{DOMAIN}/max-exec-time-seconds: '{value.strip(chr(39))}'"
    (found,) = said(labels=written)
    assert found.endswith(": expected whole seconds above 0: refused by Kueue's webhook")


@pytest.mark.parametrize(
    "annotations",
    [
        f"{DOMAIN}/podset-required-topology: 'a block'",
        f"{DOMAIN}/podset-unconstrained-topology: 'yes'",
        f"{DOMAIN}/podset-slice-required-topology: example.com/rack",
        f"{DOMAIN}/podset-slice-size: '4'",
        f"{DOMAIN}/podset-slice-required-topology: example.com/rack, {DOMAIN}/podset-slice-size: '0'",
        f"{DOMAIN}/podset-group-name: workers",
        f"{DOMAIN}/podset-group-name: '7', {DOMAIN}/podset-required-topology: example.com/rack",
    ],
)
def test_each_is_refused_once(annotations: str) -> None:
    assert len(said(annotations=annotations)) == 1


@pytest.mark.parametrize(
    "annotations",
    [
        f"{DOMAIN}/podset-unconstrained-topology: 'T'",
        f"{DOMAIN}/podset-slice-required-topology: example.com/rack, {DOMAIN}/podset-slice-size: '4'",
        f"{DOMAIN}/podset-group-name: workers, {DOMAIN}/podset-preferred-topology: example.com/rack",
        f"{DOMAIN}/podset-required-topology: '${{LEVEL}}'",
    ],
)
def test_what_kueue_takes_is_silent(annotations: str) -> None:
    assert said(f"{DOMAIN}/queue-name: team-a", annotations) == []
