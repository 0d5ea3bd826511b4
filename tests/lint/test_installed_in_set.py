"""What the set installs is there, whatever the profile lists."""

from tests.lint.patched import cluster, said

PART = """
spec: {template: {spec: {containers: [{name: main, resources: {limits: {nvidia.com/gpumem: 4000}}}]}}}
"""
HAMI = """
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: hami, namespace: kube-system}
spec:
  interval: 1h
  chart: {spec: {chart: hami, version: 2.9.0, sourceRef: {kind: HelmRepository, name: hami}}}
"""


def test_a_release_of_hami_in_the_set() -> None:
    (finding,) = said("GPU318", "deployment", PART, profile=cluster())
    assert "without HAMi" in finding.message
    assert not said("GPU318", "deployment", PART, HAMI, profile=cluster())
