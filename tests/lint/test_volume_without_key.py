"""GPU775: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

POD = """\
apiVersion: batch/v1
kind: Job
metadata: {name: p, namespace: ml, annotations: OUTER}
spec:
  template:
    metadata: {annotations: ANNOTATIONS}
    spec:
      restartPolicy: Never
      initContainers: INIT
      containers:
        - name: main
          image: example.com/app:1
          volumeMounts: [{name: held, mountPath: /held}]
          resources: {limits: {nvidia.com/gpu: 1}}
      volumes: [{name: held, VOLUME}]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: bucket, namespace: ml}
spec: {volumeName: bucket, storageClassName: "", accessModes: [ReadOnlyMany], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: bucket}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadOnlyMany]
  csi: {driver: gcsfuse.csi.storage.gke.io, volumeHandle: acme-models}
"""
BUCKET = "csi: {driver: gcsfuse.csi.storage.gke.io, volumeAttributes: {bucketName: acme}}"
ON = '{gke-gcsfuse/volumes: "true"}'
SIDECAR = "[{name: gke-gcsfuse-sidecar, image: example.com/sidecar:1, restartPolicy: Always}]"


def said(
    volume: str, annotations: str = "{}", outer: str = "{}", init: str = "[]"
) -> list[tuple[str, str]]:
    text = POD.replace("VOLUME", volume).replace("ANNOTATIONS", annotations)
    text = text.replace("OUTER", outer).replace("INIT", init)
    found = [one for one in raised(text) if one.rule.code == "GPU775"]
    return [(one.severity, one.found.message) for one in found]


@pytest.mark.parametrize(
    ("volume", "annotations", "level", "key"),
    [
        (BUCKET, "{}", "error", "gke-gcsfuse/volumes"),
        (BUCKET, '{gke-gcsfuse/volumes: "false"}', "error", "gke-gcsfuse/volumes"),
        ("persistentVolumeClaim: {claimName: bucket}", "{}", "error", "gke-gcsfuse/volumes"),
        ("csi: {driver: gcsfuse.csi.storage.gke.io}", ON, "error", "bucketName"),
        ("csi: {driver: parallelstore.csi.storage.gke.io}", "{}", "warning", "gke-parallelstore"),
        ("csi: {driver: secrets-store.csi.k8s.io}", "{}", "error", "secretProviderClass"),
        ("csi: {driver: csi.cert-manager.io}", "{}", "error", "issuer-name"),
    ],
)
def test_what_a_driver_needs(volume: str, annotations: str, level: str, key: str) -> None:
    ((severity, message),) = said(volume, annotations)
    assert severity == level
    assert key in message


@pytest.mark.parametrize(
    ("volume", "annotations", "outer", "init"),
    [
        (BUCKET, '{gke-gcsfuse/volumes: "True"}', "{}", "[]"),
        (BUCKET, "{}", ON, "[]"),
        (BUCKET, "{}", "{}", SIDECAR),
        ("persistentVolumeClaim: {claimName: bucket}", ON, "{}", "[]"),
        ("persistentVolumeClaim: {claimName: elsewhere}", "{}", "{}", "[]"),
        ("csi: {driver: efs.csi.aws.com}", "{}", "{}", "[]"),
    ],
)
def test_what_is_there_or_is_not_known(
    volume: str, annotations: str, outer: str, init: str
) -> None:
    assert said(volume, annotations, outer, init) == []
