"""Volumes that one node can mount."""

import pytest

from gpuspec.lint.engine import Engine
from gpuspec.lint.model import Also
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import SourceFile
from tests.lint.placement.pods import findings


def test_a_claim_that_two_workloads_need_on_different_nodes() -> None:
    claim = """
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [MODE]}
"""
    user = """
---
apiVersion: v1
kind: Pod
metadata: {name: NAME}
spec:
  nodeSelector: {example.com/pool: POOL}
  containers: [{name: main, image: a/b:1, resources: {limits: {nvidia.com/gpu: 1}}}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
"""
    one = user.replace("NAME", "one").replace("POOL", "h100")
    other = user.replace("NAME", "other").replace("POOL", "l4")
    [found] = findings(claim.replace("MODE", "ReadWriteOnce") + one + other, "GPU208")
    assert [
        each.line for each in raised_related(claim.replace("MODE", "ReadWriteOnce") + one + other)
    ]
    assert found.path == "spec.accessModes"
    assert not findings(claim.replace("MODE", "ReadWriteMany") + one + other, "GPU208")
    near = other.replace("l4", "h100")
    assert not findings(claim.replace("MODE", "ReadWriteOnce") + one + near, "GPU208")


def test_a_claim_for_gpus_of_two_vendors() -> None:
    """A node has those of one, as good as always; whoever asks for none goes to either."""
    claim = """
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce]}
"""
    user = """
---
apiVersion: v1
kind: Pod
metadata: {name: NAME}
spec:
  containers: [{name: main, image: a/b:1, resources: {limits: {DEVICE: 1}}}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
"""

    def said(*devices: str) -> int:
        pods = [user.replace("NAME", f"n{i}").replace("DEVICE", d) for i, d in enumerate(devices)]
        return len(findings(claim + "".join(pods), "GPU208"))

    assert said("nvidia.com/gpu", "nvidia.com/gpu", "amd.com/gpu") == 1
    assert said("nvidia.com/gpu", "nvidia.com/mig-1g.10gb", "cpu") == 0


CLAIM = """
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], CLASS}
"""
REPLICAS = """
---
apiVersion: apps/v1
kind: KIND
metadata: {name: chat}
spec:
  replicas: COUNT
  selector: {matchLabels: {app: chat}}
  template:
    metadata: {labels: {app: chat}}
    spec:
      PLACE
      containers: [{name: main, image: a/b:1, resources: {limits: {nvidia.com/gpu: 1}}}]
      volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
"""
TOGETHER = """affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [
        {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: chat}}}]}}"""
ON_A_DISK = "storageClassName: gp3"


def replicas(
    count: int = 3, place: str = "enableServiceLinks: false", kind: str = "Deployment"
) -> str:
    text = REPLICAS.replace("COUNT", str(count)).replace("PLACE", place)
    return text.replace("KIND", kind)


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
def test_replicas_that_nothing_keeps_on_one_node(kind: str) -> None:
    for claim in (ON_A_DISK, "resources: {requests: {storage: 40Gi}}"):
        [found] = findings(CLAIM.replace("CLASS", claim) + replicas(kind=kind), "GPU208")
        assert "nothing keeps the 3 pods" in found.message


@pytest.mark.parametrize(
    ("claim", "pods"),
    [
        (ON_A_DISK, replicas(1)),
        (ON_A_DISK, replicas(place=TOGETHER)),
        (ON_A_DISK, replicas(place="nodeSelector: {kubernetes.io/hostname: gpu-1}")),
        ("storageClassName: efs-sc", replicas()),
        ("storageClassName: local-path", replicas()),
        ("storageClassName: $CLASS", replicas()),
        ("volumeName: weights", replicas()),
    ],
)
def test_replicas_that_may_share_a_volume(claim: str, pods: str) -> None:
    assert not findings(CLAIM.replace("CLASS", claim) + pods, "GPU208")


def test_shares_of_hami_are_no_whole_gpus() -> None:
    """24 whole GPUs are more than a node has; 24 shares of 2000 MiB may not be."""
    whole = CLAIM.replace("CLASS", ON_A_DISK) + replicas(24, place=TOGETHER)
    [found] = findings(whole, "GPU208")
    assert "24 GPUs, more than a node has" in found.message
    shares = whole.replace("{nvidia.com/gpu: 1}", "{nvidia.com/gpu: 1, nvidia.com/gpumem: 2000}")
    assert not findings(shares, "GPU208")


def test_a_class_of_the_set_says_what_its_volumes_are() -> None:
    made = """
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: team}
provisioner: PROVISIONER
"""
    text = CLAIM.replace("CLASS", "storageClassName: team") + replicas()
    assert findings(text + made.replace("PROVISIONER", "ebs.csi.aws.com"), "GPU208")
    assert not findings(text + made.replace("PROVISIONER", "nfs.csi.k8s.io"), "GPU208")


def raised_related(text: str) -> tuple[Also, ...]:
    engine = Engine(lambda code: code == "GPU208")
    [found] = list(engine.run(TextLoader([SourceFile("page.yaml", text)])))
    return engine.related(found)
