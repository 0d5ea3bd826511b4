"""GPU824: classes of other providers, and claims without one."""

from pathlib import Path

import pytest

import gpuspec
from gpuspec.hardware import bringers

CLAIM = """apiVersion: v1
kind: PersistentVolumeClaim
metadata: {{name: weights, namespace: ml}}
spec: {{accessModes: [ReadWriteOnce], {field}resources: {{requests: {{storage: 10Gi}}}}}}
"""
SET = """apiVersion: apps/v1
kind: StatefulSet
metadata: {name: cache, namespace: ml}
spec:
  serviceName: cache
  selector: {matchLabels: {app: cache}}
  template:
    metadata: {labels: {app: cache}}
    spec: {containers: [{name: main, image: "redis:8.0"}]}
  volumeClaimTemplates:
    - metadata: {name: data}
      spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 10Gi}}}
"""
INGRESS = """apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: chat, namespace: ml}
spec: {ingressClassName: alb, defaultBackend: {service: {name: chat, port: {number: 80}}}}
"""
CLASS = """---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {{name: {name}, annotations: {{storageclass.kubernetes.io/is-default-class: "{default}"}}}}
provisioner: example.com/disk
"""
PROFILE = """apiVersion: gpuspec.dev/v1alpha1
kind: ClusterProfile
metadata: {name: own}
spec:
  kubernetes: "1.36"
  provider: gke
  storage: {classes: {gp3: {}}}
"""


def said(text: str, provider: str, tmp_path: Path) -> list[str]:
    (tmp_path / "it.yaml").write_text(text)
    profiles = gpuspec.load_profiles(provider)
    result = gpuspec.lint(str(tmp_path / "it.yaml"), profile=profiles[0])
    return [one.message for one in result.findings if one.rule == "GPU824"]


def claim(name: str | None = None, more: str = "") -> str:
    return CLAIM.format(field=f"storageClassName: {name}, " if name else more)


@pytest.mark.parametrize("provider", ["gke", "eks", "aks", "coreweave", "openshift"])
def test_each_provider_has_its_own_classes(provider: str, tmp_path: Path) -> None:
    for bringer in bringers("StorageClass"):
        for name in bringer.names:
            wrong = said(claim(name), provider, tmp_path)
            assert bool(wrong) is (provider not in bringer.providers), name
            assert not wrong or f"exists on {bringer.title}" in wrong[0]


def test_an_ingress_waits_for_the_controller_of_its_class(tmp_path: Path) -> None:
    assert "no controller serves it" in said(INGRESS, "aks", tmp_path)[0]
    assert not said(INGRESS, "eks", tmp_path)


def test_what_anybody_may_have_is_no_providers(tmp_path: Path) -> None:
    for name in ("longhorn", "local-path", "ceph-block", "fast"):
        assert not said(claim(name), "gke", tmp_path)
    assert not said(claim("gp3"), "generic", tmp_path), "it runs on any cloud"


def test_a_class_that_is_made_or_listed_is_there(tmp_path: Path) -> None:
    assert not said(claim("gp3") + CLASS.format(name="gp3", default="false"), "gke", tmp_path)
    (tmp_path / "own.yaml").write_text(PROFILE)
    assert not said(claim("gp3"), str(tmp_path / "own.yaml"), tmp_path)
    assert said(claim("gp2"), str(tmp_path / "own.yaml"), tmp_path)


def test_a_claim_without_a_class_needs_a_default_one(tmp_path: Path) -> None:
    assert "have no default one" in said(claim(), "eks", tmp_path)[0]
    assert "have no default one" in said(SET, "eks-auto", tmp_path)[0]
    assert not said(claim(), "gke", tmp_path)
    assert not said(claim() + CLASS.format(name="own", default="true"), "eks", tmp_path)
    assert said(claim() + CLASS.format(name="own", default="false"), "eks", tmp_path)


def test_a_claim_that_is_bound_by_hand_needs_none(tmp_path: Path) -> None:
    for more in (
        "volumeName: disk, ",
        'storageClassName: "", ',
        "selector: {matchLabels: {a: b}}, ",
    ):
        assert not said(claim(more=more), "eks", tmp_path)
