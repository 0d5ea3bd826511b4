"""GPU842 to GPU849, of what stands around a pod: beyond what their pages show."""

import pytest

from tests.lint.test_pod_fields import NIM, VLLM, pod, said

ACCOUNT = """\
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: default, namespace: ml}
imagePullSecrets: [{name: ngc}]
"""


def test_a_nim_needs_a_login() -> None:
    assert len(said(pod(NIM), "GPU842")) == 1
    assert not said(pod(NIM, volumes="imagePullSecrets: [{name: ngc}]"), "GPU842")
    assert not said(pod(NIM) + ACCOUNT, "GPU842")
    # What another account brings is not known; a mirror is open perhaps.
    assert not said(pod(NIM, volumes="serviceAccountName: nim"), "GPU842")
    assert not said(pod(f"mirror.example.com/{NIM.partition('/')[2]}"), "GPU842")
    assert not said(pod(VLLM), "GPU842")


SERVICE = """\
apiVersion: apps.nvidia.com/v1alpha1
kind: NIMService
metadata: {name: llama, namespace: ml}
spec:
  image: {repository: nvcr.io/nim/meta/llama-3.1-8b-instruct, tag: 2.0.1, pullSecrets: [ngc]}
  authSecret: ngc-api
  storage: {nimCache: {name: llama}}
  replicas: 1
  resources: {limits: {nvidia.com/gpu: 1}}
"""
CACHE = """\
---
apiVersion: apps.nvidia.com/v1alpha1
kind: NIMCache
metadata: {name: llama, namespace: ml}
spec:
  source: {ngc: {modelPuller: m, pullSecret: ngc, authSecret: ngc-api, model: {tensorParallelism: "1"}}}
  storage: {pvc: {create: true, size: 100Gi, storageClass: x, volumeAccessMode: ReadWriteOnce}}
"""


def test_a_nim_service_names_its_login_with_its_image() -> None:
    assert not said(SERVICE, "GPU842")
    (one,) = said(SERVICE.replace(", pullSecrets: [ngc]", ""), "GPU842")
    assert one.finding().path == "spec.image.repository"


def test_a_cache_and_its_service() -> None:
    assert not said(SERVICE + CACHE, "GPU848")
    (degree,) = said(SERVICE + CACHE.replace('"1"', '"2"'), "GPU848")
    assert "has only profiles for 2 GPUs" in degree.found.message
    chosen = CACHE.replace('tensorParallelism: "1"', 'tensorParallelism: "2", profiles: [abc]')
    assert not said(SERVICE + chosen, "GPU848")
    tolerated = SERVICE + "  tolerations: [{key: nvidia.com/gpu, operator: Exists}]\n"
    (kept,) = said(tolerated + CACHE, "GPU848")
    assert "does not tolerate `nvidia.com/gpu`" in kept.found.message
    assert not said(tolerated + CACHE + "  nodeSelector: {}\n", "GPU848")
    assert not said(tolerated + CACHE + "  tolerations: [{operator: Exists}]\n", "GPU848")
    many = SERVICE.replace("replicas: 1", "replicas: 2").replace("gpu: 1", "gpu: 8")
    (nodes,) = said(many + CACHE, "GPU848")
    assert "request 16 GPUs" in nodes.found.message
    assert not said(many + CACHE.replace("ReadWriteOnce", "ReadWriteMany"), "GPU848")


DEPLOYMENT = """\
apiVersion: apps/v1
kind: KIND
metadata: {name: chat, namespace: ml}
spec:
  selector: {matchLabels: {app: chat}}
  template:
    metadata: {labels: {app: chat}}
    spec:
      tolerations: TOLERATIONS
      containers:
        - name: main
          image: vllm/vllm-openai:v0.11.0
          args: [/m]
          readinessProbe: {httpGet: {path: /health, port: 8000}}
          resources: {limits: {nvidia.com/gpu: 1}}
"""


@pytest.mark.parametrize(
    ("kind", "tolerations", "speaks"),
    [
        ("Deployment", "[{operator: Exists}]", True),
        ("Deployment", "[{operator: Exists, effect: NoExecute}]", True),
        ("Deployment", "[{operator: Exists, effect: NoSchedule}]", False),
        ("Deployment", "[{operator: Exists, effect: NoExecute, tolerationSeconds: 60}]", False),
        ("Deployment", "[{key: nvidia.com/gpu, operator: Exists}]", False),
        # Its controller keeps one on each node, and replaces none that is evicted.
        ("DaemonSet", "[{operator: Exists}]", False),
    ],
)
def test_tolerations_without_an_end(kind: str, tolerations: str, speaks: bool) -> None:
    text = DEPLOYMENT.replace("KIND", kind).replace("TOLERATIONS", tolerations)
    assert bool(said(text, "GPU843")) is speaks


HELM = 'annotations: {helm.sh/hook: post-install}, name: "j"'
JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: "j"}
spec:
  ttlSecondsAfterFinished: 0
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: x, resources: {limits: {nvidia.com/gpu: 1}}}]
"""


def test_runs_that_leave_nothing() -> None:
    assert len(said(JOB, "GPU844")) == 1
    assert not said(JOB.replace("Finished: 0", "Finished: 60"), "GPU844")
    assert not said(JOB.replace("nvidia.com/gpu", "cpu"), "GPU844")
    assert not said(JOB.replace('name: "j"', HELM), "GPU844")


FRONT = """\
---
apiVersion: v1
kind: Service
metadata: {name: chat, namespace: ml}
spec: {selector: {app: chat}, publishNotReadyAddresses: true, ports: [{port: 8000}]}
"""


def test_services_of_servers_that_are_not_ready() -> None:
    deployment = DEPLOYMENT.replace("KIND", "Deployment").replace("TOLERATIONS", "[]")
    assert len(said(deployment + FRONT, "GPU845")) == 1
    assert not said(deployment + FRONT.replace("spec: {", "spec: {clusterIP: None, "), "GPU845")
    assert not said(deployment + FRONT.replace(": true", ": false"), "GPU845")
    # The pods of a StatefulSet find each other by name, before they are ready.
    ranks = deployment.replace("kind: Deployment", "kind: StatefulSet")
    assert not said(ranks + FRONT, "GPU845")


CLASS = """\
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: disk}
provisioner: ebs.csi.aws.com
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: w, namespace: ml}
spec: {accessModes: [ReadWriteOnce], storageClassName: disk, resources: {requests: {storage: 1Ti}}}
"""


def test_disks_that_are_made_too_soon() -> None:
    mounting = pod(volumes="volumes: [{name: w, persistentVolumeClaim: {claimName: w}}]")
    (one,) = said(mounting + CLASS, "GPU847")
    assert "not every zone has GPUs" in one.found.message
    assert not said(pod() + CLASS, "GPU847")
    for change in (
        "volumeBindingMode: WaitForFirstConsumer",
        "allowedTopologies: [{matchLabelExpressions: [{key: topology.kubernetes.io/zone, values: [a]}]}]",
        "parameters: {skuName: Premium_ZRS}",
    ):
        assert not said(
            mounting + CLASS.replace("\n---\napiVersion: v1", f"\n{change}\n---\napiVersion: v1"),
            "GPU847",
        )
    assert not said(mounting + CLASS.replace("ebs.csi.aws.com", "efs.csi.aws.com"), "GPU847")


def test_images_for_the_cpu() -> None:
    assert len(said(pod("kserve/huggingfaceserver:v0.15.2"), "GPU849")) == 1
    assert len(said(pod("mirror.example.com/kserve/huggingfaceserver:latest"), "GPU849")) == 1
    assert not said(pod("kserve/huggingfaceserver:v0.15.2-gpu"), "GPU849")
    assert not said(pod("mykserve/huggingfaceserver:v0.15.2"), "GPU849")


CUSTOMIZER = """\
apiVersion: apps.nvidia.com/v1alpha1
kind: NemoCustomizer
metadata: {name: customizer, namespace: ml}
spec:
  databaseConfig: {credentials: {user: ncs, secretName: customizer-pg, passwordKey: KEY}}
  trainingConfig: {configMap: {name: training-confg}}
---
apiVersion: v1
kind: Secret
metadata: {name: customizer-pg, namespace: ml}
stringData: {password: x}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: training-config, namespace: ml}
data: {a: b}
"""


def test_what_the_parts_of_nemo_name() -> None:
    key, name = said(CUSTOMIZER.replace("KEY", "pasword"), "GPU022")
    assert key.finding().path == "spec.databaseConfig.credentials.passwordKey"
    assert name.finding().path == "spec.trainingConfig.configMap.name"
    right = CUSTOMIZER.replace("KEY", "password").replace("confg", "config")
    assert not said(right, "GPU022")


SLURM = """\
apiVersion: slinky.slurm.net/v1beta1
kind: NodeSet
metadata: {name: gpu, namespace: slurm}
spec:
  replicas: 2
  controllerRef: {name: REF}
  slurmd: {image: x, resources: {limits: {nvidia.com/gpu: 1}, requests: {nvidia.com/gpu: 2}}}
---
apiVersion: slinky.slurm.net/v1beta1
kind: Controller
metadata: {name: cluster, namespace: slurm}
spec: {configFileRefs: [{name: gres-config}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: gres-config, namespace: slurm}
data: {gres.conf: AutoDetect=nvidia}
"""


def test_nodes_of_slurm_are_pods_with_gpus() -> None:
    right = SLURM.replace("REF", "cluster")
    assert len(said(right, "GPU102")) == 1
    assert not said(right, "GPU022")
    (one,) = said(SLURM.replace("REF", "clustre"), "GPU022")
    assert one.finding().path == "spec.controllerRef.name"
    (field,) = said(right.replace("replicas: 2", "gres: gpu:1"), "GPU010")
    assert field.finding().path == "spec.gres"


@pytest.mark.parametrize(
    ("machine", "speaks"),
    # Of families without GPUs nothing is known, nor of those that are not there yet.
    [("g6e.12xlarge", True), ("m7i.large", False), ("g99.large", False)],
)
def test_machines_with_gpus_that_nobody_asks_for(machine: str, speaks: bool) -> None:
    selector = f"nodeSelector: {{node.kubernetes.io/instance-type: {machine}}}"
    asking = pod(volumes=selector)
    assert not said(asking, "GPU105")
    assert bool(said(asking.replace("limits: {nvidia.com/gpu: 1}", ""), "GPU105")) is speaks


LOGIN = """
---
apiVersion: v1
kind: Secret
metadata: {name: ngc, namespace: ml}
type: kubernetes.io/dockerconfigjson
stringData:
  .dockerconfigjson: '{"auths": {"nvcr.io": {"username": "$oauthtoken", "password": "x"}}}'
"""


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("$oauthtoken", "oauthtoken", "not `$oauthtoken`"),
        ("$oauthtoken", "", "not `$oauthtoken`"),
        ('"auths": {"nvcr', '"nvcr', "has no `auths`"),
        ("kubernetes.io/dockerconfigjson", "Opaque", "is of type `Opaque`: the kubelet"),
    ],
)
def test_the_login_of_a_pull_secret(before: str, after: str, message: str) -> None:
    text = pod(NIM, volumes="imagePullSecrets: [{name: ngc}]")
    assert not said(text + LOGIN, "GPU842")
    wrong = LOGIN.replace(before, after)
    wrong = wrong.replace("}}}'", "}}'") if "auths" in before else wrong
    (found,) = said(text + wrong, "GPU842")
    assert message in found.found.message
