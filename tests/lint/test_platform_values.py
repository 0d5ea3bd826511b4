"""GPU113: values of the platform's charts, beyond what its page shows."""

from gpuspec.lint.model import Finding
from tests.lint.pages import raised

DRIVER = """apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: dra, namespace: argocd}}
spec:
  project: platform
  destination: {{server: https://kubernetes.default.svc, namespace: nvidia-dra}}
  source:
    repoURL: https://helm.ngc.nvidia.com/nvidia
    chart: nvidia-dra-driver-gpu
    targetRevision: {version}
    helm:
{more}      valuesObject: {values}
"""
CLAIM = """---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: shared, namespace: research}
spec:
  spec:
    devices:
      requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}]
      config:
        - opaque:
            driver: gpu.nvidia.com
            parameters:
              apiVersion: resource.nvidia.com/v1beta1
              kind: GpuConfig
              sharing: {strategy: TimeSlicing}
"""
ON = "gpuResourcesEnabledOverride: true"


def said(text: str) -> list[Finding]:
    return [found for one in raised(text) if (found := one.finding()).rule == "GPU113"]


def of_driver(values: str, version: str = "25.8.1", more: str = "", rest: str = CLAIM) -> list[str]:
    text = DRIVER.format(values=values, version=version, more=more)
    return [one.message for one in said(text + rest)]


def test_a_claim_needs_the_gate_of_its_sharing() -> None:
    (message,) = of_driver(f"{{{ON}}}")
    assert "TimeSlicingSettings" in message
    assert not of_driver(f"{{{ON}, featureGates: {{TimeSlicingSettings: true}}}}")
    assert of_driver(f"{{{ON}, featureGates: {{MPSSupport: true}}}}")


def test_releases_before_the_gates_take_any_sharing() -> None:
    assert not of_driver(f"{{{ON}}}", version="v25.3.2")


def test_gpus_need_an_override_and_claims_need_gpus() -> None:
    gated = "featureGates: {TimeSlicingSettings: true}"
    assert "rejects" in of_driver(f"{{{gated}}}", rest="")[0]
    off = f"{{{gated}, resources: {{gpus: {{enabled: false}}}}}}"
    assert "never allocated" in of_driver(off)[0]
    assert not of_driver(off, rest="")


def test_values_that_others_are_laid_over_are_not_judged() -> None:
    assert not of_driver("{}", more="      valueFiles: [own.yaml]\n")


def test_odd_values_are_nothing() -> None:
    for odd in ("[]", "text", "{resources: 1, featureGates: []}", "{resources: {gpus: []}}"):
        assert isinstance(of_driver(odd), list)


OPERATOR = """apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: gpu-operator, namespace: gpu-operator}
spec:
  interval: 1h
  chart: {spec: {chart: gpu-operator, version: v25.10.1, sourceRef: {kind: HelmRepository, name: n}}}
  values: VALUES
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: chat, namespace: llm}
spec:
  scaleTargetRef: {name: chat}
  triggers:
    - type: prometheus
      metadata: {serverAddress: "http://p:9090", query: "avg(DCGM_FI_DEV_GPU_UTIL)", threshold: "80"}
"""
OFF = "{dcgmExporter: {serviceMonitor: {enabled: false}}}"
MONITOR = """---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: {name: dcgm, namespace: gpu-operator}
spec: {selector: {matchLabels: {app: nvidia-dcgm-exporter}}}
"""


def test_a_scaler_needs_the_exporter_to_be_scraped() -> None:
    (found,) = said(OPERATOR.replace("VALUES", OFF))
    assert found.path == "spec.values.dcgmExporter.serviceMonitor.enabled"
    assert not said(OPERATOR.replace("VALUES", OFF.replace("false", "true")))
    assert not said(OPERATOR.replace("VALUES", "{dcgmExporter: {enabled: true}}"))
    assert not said(OPERATOR.replace("VALUES", OFF) + MONITOR)


RULES = """---
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: health, namespace: gpu-operator}
spec:
  groups:
    - name: gpu
      rules:
        - {alert: Idle, expr: "avg(up) < 1"}
        - {alert: Hot, expr: "max by (gpu) (DCGM_FI_DEV_GPU_TEMP) > 88"}
"""
HPA = """---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: chat, namespace: llm}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: chat}
  maxReplicas: 4
  metrics:
    - type: External
      external: {metric: {name: DCGM_FI_DEV_GPU_UTIL}, target: {type: AverageValue, averageValue: "80"}}
"""
ALONE = OPERATOR.partition("---\n")[0]
ON_BY_HAND = "{dcgmExporter: {enabled: true}}"


def test_an_alert_and_an_autoscaler_read_the_exporter_too() -> None:
    (found,) = said(ALONE.replace("VALUES", OFF) + RULES)
    assert "alert `Hot` never fires" in found.message
    (found,) = said(ALONE.replace("VALUES", OFF) + HPA)
    assert "nothing scales" in found.message


def test_the_chart_has_it_scraped_by_itself_since_a_release() -> None:
    """Where Prometheus has its operator: another may go by the Service's annotation."""
    text = ALONE.replace("VALUES", ON_BY_HAND) + RULES
    (found,) = said(text)
    assert found.path == "spec.values.dcgmExporter.serviceMonitor.enabled"
    assert "false by default in release 25.10.1" in found.message
    assert not said(text.replace("v25.10.1", "v26.7.0"))
    assert not said(text.replace(", version: v25.10.1", ""))
    assert not said(text.replace("v25.10.1", "26.x"))
    assert not said(text.replace("DCGM_FI_DEV_GPU_TEMP", "nvidia_smi_temperature"))
    assert not said(text.replace(ON_BY_HAND, "{dcgmExporter: {serviceMonitor: {enabled: true}}}"))
    assert not said(ALONE.replace("VALUES", ON_BY_HAND) + HPA)


def test_whoever_speaks_of_the_exporter_may_have_it_scraped() -> None:
    text = ALONE.replace("VALUES", ON_BY_HAND) + RULES
    prometheus = ALONE.replace("gpu-operator", "kube-prometheus-stack").replace(
        "VALUES", "{prometheus: {additionalServiceMonitors: [{name: dcgm-exporter}]}}"
    )
    assert not said(f"{text}---\n{prometheus}")
    assert said(f"{text}---\n{prometheus.replace('dcgm-exporter', 'chat')}")


def test_data_that_no_configmap_is_made_of_may_be_anything() -> None:
    config = "{devicePlugin: {config: {create: %s, data: {any: {version: v1}}}}}"
    assert said(OPERATOR.replace("VALUES", config % "true"))
    assert not said(OPERATOR.replace("VALUES", config % "false"))


TEXT = """apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: dra, namespace: argocd}
spec:
  project: platform
  destination: {server: https://kubernetes.default.svc, namespace: nvidia-dra}
  source:
    repoURL: https://helm.ngc.nvidia.com/nvidia
    chart: nvidia-dra-driver-gpu
    targetRevision: 25.8.1
    helm:
      values: |
        # Beside the device plugin.
        resources: {gpus: {enabled: true}}
"""


def test_values_may_be_a_text() -> None:
    (found,) = said(TEXT)
    assert found.path == "spec.source.helm.values"
    assert (found.line, found.column) == (14, 37)
    assert not said(TEXT + f"        {ON}\n")
    assert not said(TEXT.replace("resources: {", "resources: {{{"))
    # Argo CD ignores it then.
    assert not said(TEXT + "      valuesObject: {resources: {gpus: {enabled: false}}}\n")


def test_no_text_means_no_values() -> None:
    assert len(said(TEXT.replace("resources: {gpus: {enabled: true}}", "a: b"))) == 1
