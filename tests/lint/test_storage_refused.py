"""GPU930: beyond what its page shows."""

import pytest

from tests.lint.pages import raised

CLAIM = """
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {{name: weights, namespace: ml}}
spec: {{storageClassName: {cls}, accessModes: [{mode}], resources: {{requests: {{storage: 200Gi}}}}{more}}}
"""
CLASS = """
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {{name: fast}}
provisioner: {provisioner}
volumeBindingMode: WaitForFirstConsumer
parameters: {parameters}
"""
VOLUME = """
apiVersion: v1
kind: PersistentVolume
metadata: {{name: models}}
spec:
  capacity: {{storage: 1200Gi}}
  accessModes: [{mode}]
  storageClassName: ""
  csi: {csi}
"""


def said(text: str) -> list[str]:
    return [finding.found.message for finding in raised(text) if finding.rule.code == "GPU930"]


@pytest.mark.parametrize(
    ("cls", "mode"),
    [
        ("gp3", "ReadWriteMany"),
        ("premium-rwo", "ReadWriteMany"),
        ("managed-csi", "ReadWriteMany"),
        ("local-path", "ReadOnlyMany"),
    ],
)
def test_disks_are_no_volumes_of_several_nodes(cls: str, mode: str) -> None:
    (message,) = said(CLAIM.format(cls=cls, mode=mode, more=""))
    assert f"has no `{mode}` volumes" in message


@pytest.mark.parametrize(
    "text",
    [
        CLAIM.format(cls="gp3", mode="ReadWriteOnce", more=""),
        CLAIM.format(cls="gp3", mode="ReadWriteMany", more=", volumeMode: Block"),
        CLAIM.format(cls="gp3", mode="ReadWriteMany", more=", volumeName: by-hand"),
        CLAIM.format(cls="premium-rwo", mode="ReadOnlyMany", more=""),
        CLAIM.format(cls="somebodys-own", mode="ReadWriteMany", more=""),
        CLAIM.format(cls="fast", mode="ReadWriteMany", more="")
        + "---"
        + CLASS.format(provisioner="driver.longhorn.io", parameters="{numberOfReplicas: '3'}"),
        CLASS.format(
            provisioner="ebs.csi.aws.com",
            parameters="{type: io2, iops: '16000', csi.storage.k8s.io/fstype: xfs, tagSpecification_1: a=b}",
        ),
        CLASS.format(
            provisioner="ebs.csi.aws.com", parameters="{type: '${TYPE}', throughput: '500'}"
        ),
        CLASS.format(provisioner="pd.csi.storage.gke.io", parameters="{type: hyperdisk-ml}"),
        VOLUME.format(
            mode="ReadWriteMany",
            csi="{driver: fsx.csi.aws.com, volumeHandle: fs-1, volumeAttributes: {dnsname: fs-1.fsx.us-east-1.amazonaws.com}}",
        ),
    ],
)
def test_what_is_right_or_unknown_is_not(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize(
    ("provisioner", "parameters", "begin"),
    [
        ("ebs.csi.aws.com", "{type: gp2, throughput: '1000'}", "`throughput` has no effect"),
        ("ebs.csi.aws.com", "{volumeType: gp3}", "`volumeType` is not a parameter of EBS"),
        ("ebs.csi.aws.com", "{type: gp4}", "EBS does not accept `type: gp4`"),
        ("ebs.csi.aws.com", "{type: io2, iops: '1', iopsPerGB: '2'}", "`iops` and `iopsPerGB`"),
        ("pd.csi.storage.gke.io", "{type: pd-ssd, fstype: xfs}", "`fstype` is not a parameter"),
        ("efs.csi.aws.com", "{provisioningMode: efs-ap}", "EFS needs `fileSystemId` and"),
        ("fsx.csi.aws.com", "{deploymentType: PERSISTENT_2}", "FSx for Lustre needs `subnetId`"),
        ("s3.csi.aws.com", "{}", "Mountpoint for S3 creates no volumes"),
        ("lustre.csi.storage.gke.io", "{network: n}", "GKE Managed Lustre needs"),
    ],
)
def test_parameters_of_classes(provisioner: str, parameters: str, begin: str) -> None:
    (message,) = said(CLASS.format(provisioner=provisioner, parameters=parameters))
    assert message.startswith(begin)


@pytest.mark.parametrize(
    ("mode", "csi", "begin"),
    [
        ("ReadWriteMany", "{driver: s3.csi.aws.com, volumeHandle: s3}", "a volume of Mountpoint"),
        ("ReadWriteMany", "{driver: ebs.csi.aws.com, volumeHandle: vol-1}", "EBS cannot attach"),
    ],
)
def test_volumes_written_by_hand(mode: str, csi: str, begin: str) -> None:
    (message,) = said(VOLUME.format(mode=mode, csi=csi))
    assert message.startswith(begin)


def test_templates_of_claims() -> None:
    text = """
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: vllm, namespace: ml}
spec:
  serviceName: vllm
  selector: {matchLabels: {app: vllm}}
  template:
    metadata: {labels: {app: vllm}}
    spec:
      containers: [{name: main, image: "registry.example.com/vllm:1.0.0"}]
  volumeClaimTemplates:
    - metadata: {name: cache}
      spec: {storageClassName: gp2, accessModes: [ReadWriteMany], resources: {requests: {storage: 9Gi}}}
"""
    assert len(said(text)) == 1


def test_a_class_of_cephfs_names_its_file_system() -> None:
    name = "rook-ceph.cephfs.csi.ceph.com"
    assert not said(CLASS.format(provisioner=name, parameters="{clusterID: a, fsName: b}"))
    (message,) = said(CLASS.format(provisioner=name, parameters="{clusterID: a}"))
    assert "needs `fsName`" in message
