"""GPU950: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

SET = """\
apiVersion: v1
kind: Pod
metadata: {name: fetch, namespace: ml}
spec:
  MORE
  containers: [{name: main, image: example.com/fetch:1}]
  volumes: [{name: disk, persistentVolumeClaim: {claimName: disk}}]
---
apiVersion: v1
kind: Pod
metadata: {name: serve, namespace: ml}
spec:
  nodeSelector: SELECTOR
  containers: [{name: main, image: example.com/serve:1, resources: {limits: {nvidia.com/gpu: 1}}}]
  volumes: [{name: disk, persistentVolumeClaim: {claimName: disk}}]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: disk, namespace: ml}
spec: {accessModes: [ReadWriteOnce], storageClassName: CLASS, resources: {requests: {storage: 1Gi}}}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: own}
provisioner: DRIVER
volumeBindingMode: MODE
"""
ZONE = "{topology.kubernetes.io/zone: a}"


def said(
    more: str = "",
    selector: str = ZONE,
    named: str = "own",
    driver: str = "pd.csi.storage.gke.io",
    mode: str = "WaitForFirstConsumer",
) -> bool:
    manifest = SET.replace("\n  MORE", f"\n  {more}" if more else "").replace("SELECTOR", selector)
    manifest = manifest.replace("CLASS", named).replace("DRIVER", driver).replace("MODE", mode)
    return "GPU950" in {one.rule.code for one in raised(manifest)}


def test_a_disk_of_a_zone() -> None:
    assert said() and said(named="gp3")


@pytest.mark.parametrize(
    "changed",
    [
        {"more": "nodeSelector: {pool: cpu}"},
        {"selector": "{pool: gpu}"},
        {"named": "shared-nfs"},
        {"driver": "efs.csi.aws.com"},
        # The class itself is at fault then.
        {"mode": "Immediate"},
    ],
)
def test_what_binds_it_elsewhere_or_nowhere(changed: dict[str, str]) -> None:
    assert not said(**changed)
