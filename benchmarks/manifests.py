"""Kubernetes manifests to lint: what a large organisation has in its repositories. Deterministic.

Groups of five documents: a model server with its Service, budget and settings, and a training Job.
They differ in names, images, GPUs and namespaces, and are clean but for one server in fifty.
"""

from pathlib import Path

GROUP = 5
FAULTY = 50  # one server in so many asks for its GPU without a limit
PER_FILE = 100

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: server-{index}
  namespace: team-{team}
  labels: {{app: server-{index}, team: team-{team}}}
spec:
  replicas: {replicas}
  strategy:
    type: RollingUpdate
    rollingUpdate: {{maxSurge: 0, maxUnavailable: 1}}
  progressDeadlineSeconds: 1200
  selector:
    matchLabels: {{app: server-{index}}}
  template:
    metadata:
      labels: {{app: server-{index}, team: team-{team}}}
    spec:
      automountServiceAccountToken: false
      enableServiceLinks: false
      terminationGracePeriodSeconds: 150
      securityContext: {{runAsNonRoot: true, runAsUser: 2000, fsGroup: 2000, seccompProfile: {{type: RuntimeDefault}}}}
      nodeSelector: {{nvidia.com/gpu.product: {product}}}
      tolerations:
        - {{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}}
      containers:
        - name: main
          image: vllm/vllm-openai:v0.33.0@sha256:{digest:064x}
          command: [vllm, serve]
          args: [/models/model-{index}, --served-model-name, chat]
          ports:
            - {{name: http, containerPort: 8000}}
          env:
            - {{name: HOME, value: /scratch/home}}
            - {{name: HF_HUB_OFFLINE, value: "1"}}
          envFrom:
            - configMapRef: {{name: settings-{index}}}
          startupProbe: {{httpGet: {{path: /health, port: http}}, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 90}}
          readinessProbe: {{httpGet: {{path: /health, port: http}}, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3}}
          livenessProbe: {{httpGet: {{path: /health, port: http}}, periodSeconds: 15, timeoutSeconds: 10, failureThreshold: 6}}
          lifecycle:
            preStop: {{sleep: {{seconds: 15}}}}
          resources:
            requests: {{cpu: "8", memory: 64Gi, ephemeral-storage: 20Gi, nvidia.com/gpu: 1}}
            limits: {{memory: 64Gi, ephemeral-storage: 20Gi{limit}}}
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: {{drop: [ALL]}}
          volumeMounts:
            - {{name: scratch, mountPath: /scratch}}
            - {{name: tmp, mountPath: /tmp}}
            - {{name: shm, mountPath: /dev/shm}}
            - {{name: weights, mountPath: /models, readOnly: true}}
      volumes:
        - {{name: scratch, emptyDir: {{sizeLimit: 10Gi}}}}
        - {{name: tmp, emptyDir: {{sizeLimit: 1Gi}}}}
        - {{name: shm, emptyDir: {{medium: Memory, sizeLimit: 8Gi}}}}
        - {{name: weights, persistentVolumeClaim: {{claimName: weights, readOnly: true}}}}
"""
OTHERS = """\
---
apiVersion: v1
kind: Service
metadata:
  name: server-{index}
  namespace: team-{team}
spec:
  selector: {{app: server-{index}}}
  ports:
    - {{name: http, port: 8000, targetPort: http}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: server-{index}
  namespace: team-{team}
spec:
  maxUnavailable: 1
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels: {{app: server-{index}}}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings-{index}
  namespace: team-{team}
data:
  LOG_LEVEL: info
  VLLM_NO_USAGE_STATS: "1"
---
apiVersion: batch/v1
kind: Job
metadata:
  name: train-{index}
  namespace: team-{team}
  labels: {{team: team-{team}}}
spec:
  backoffLimit: 2
  activeDeadlineSeconds: 86400
  template:
    metadata:
      labels: {{team: team-{team}}}
    spec:
      restartPolicy: Never
      automountServiceAccountToken: false
      enableServiceLinks: false
      terminationGracePeriodSeconds: 300
      securityContext: {{runAsNonRoot: true, runAsUser: 2000, fsGroup: 2000, seccompProfile: {{type: RuntimeDefault}}}}
      nodeSelector: {{nvidia.com/gpu.product: {product}}}
      tolerations:
        - {{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}}
      containers:
        - name: main
          image: ghcr.io/example/train:2.3.1@sha256:{digest:064x}
          command: [python, -m, train, --steps={index}]
          env:
            - {{name: HOME, value: /scratch/home}}
          resources:
            requests: {{cpu: "8", memory: 64Gi, ephemeral-storage: 20Gi, nvidia.com/gpu: 1}}
            limits: {{memory: 64Gi, ephemeral-storage: 20Gi, nvidia.com/gpu: 1}}
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: {{drop: [ALL]}}
          volumeMounts:
            - {{name: scratch, mountPath: /scratch}}
            - {{name: tmp, mountPath: /tmp}}
            - {{name: shm, mountPath: /dev/shm}}
            - {{name: checkpoints, mountPath: /checkpoints}}
      volumes:
        - {{name: scratch, emptyDir: {{sizeLimit: 10Gi}}}}
        - {{name: tmp, emptyDir: {{sizeLimit: 1Gi}}}}
        - {{name: shm, emptyDir: {{medium: Memory, sizeLimit: 8Gi}}}}
        - {{name: checkpoints, persistentVolumeClaim: {{claimName: checkpoints}}}}
"""
PRODUCTS = ("NVIDIA-A100-SXM4-80GB", "NVIDIA-H100-80GB-HBM3", "NVIDIA-L40S", "NVIDIA-H200")


def one(index: int = 1, replicas: int = 1) -> str:
    """A clean manifest of some sixty lines."""
    return DEPLOYMENT.format(**_values(index), replicas=replicas)


def group(index: int) -> str:
    """The documents of one index."""
    return one(index, replicas=1 + index % 4) + OTHERS.format(**_values(index))


def _values(index: int) -> dict[str, object]:
    return {
        "index": index,
        "team": index % 40,
        "product": PRODUCTS[index % len(PRODUCTS)],
        "digest": index * 7919,
        "limit": "" if index % FAULTY == 0 else ", nvidia.com/gpu: 1",
    }


def write(folder: Path, documents: int) -> Path:
    """Write that many documents, a hundred to a file, into a folder made for them."""
    folder.mkdir(parents=True)
    groups = PER_FILE // GROUP
    for number in range(documents // PER_FILE):
        indexes = range(number * groups, (number + 1) * groups)
        (folder / f"{number:04d}.yaml").write_text("---\n".join(map(group, indexes)))
    return folder
