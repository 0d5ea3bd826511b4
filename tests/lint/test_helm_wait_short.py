"""GPU525: how long Flux waits, beyond what its page shows."""

from gpuspec.lint.model import Finding
from tests.charts.written import release
from tests.lint.pages import raised

VALUES = """\
controllers:
  studio:
    containers:
      app:
        image: {repository: ghcr.io/example/studio, tag: v1.2.0}
        probes:
          startup:
            enabled: true
            custom: true
            spec: {httpGet: {path: /health, port: 8080}, periodSeconds: 10, failureThreshold: 60}
        resources: {limits: {GPU: 1, memory: 32Gi}}
"""
APP = "chartRef: {kind: OCIRepository, name: app-template}"


def said(more: str = "", device: str = "nvidia.com/gpu") -> list[Finding]:
    text = release(VALUES.replace("GPU", device), f"{APP}\n{more}" if more else APP)
    return [found for one in raised(text) if (found := one.finding()).rule == "GPU525"]


def test_what_is_undone_and_tried_again_is_louder() -> None:
    (alone,) = said()
    assert (alone.severity, "counts as failed" in alone.message) == ("info", True)
    (again,) = said("  upgrade: {remediation: {retries: -1}}")
    assert (again.severity, "rolled back" in again.message) == ("warning", True)


def test_an_action_has_a_timeout_of_its_own() -> None:
    assert not said("  timeout: 15m")
    (short,) = said("  timeout: 15m\n  install: {timeout: 2m}")
    assert "waits 120 s:" in short.message
    assert short.path == "spec.install.timeout"


def test_nothing_is_short_where_flux_does_not_wait() -> None:
    assert not said("  install: {disableWait: true}\n  upgrade: {disableWait: true}")


def test_a_timeout_that_cannot_be_read_is_left_alone() -> None:
    assert not said("  timeout: ${TIMEOUT}")
    assert not said("  timeout: 3")


def test_pods_without_gpus_are_others_concern() -> None:
    assert not said(device="cpu")
