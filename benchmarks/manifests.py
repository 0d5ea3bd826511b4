"""A manifest in which nothing is to be found: some sixty lines, a model server."""

CLEAN = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: server-1
  namespace: team-1
  labels: {app: server-1, team: team-1}
spec:
  replicas: 1
  strategy:
    type: RollingUpdate
    rollingUpdate: {maxSurge: 0, maxUnavailable: 1}
  progressDeadlineSeconds: 1200
  selector:
    matchLabels: {app: server-1}
  template:
    metadata:
      labels: {app: server-1, team: team-1}
    spec:
      automountServiceAccountToken: false
      enableServiceLinks: false
      terminationGracePeriodSeconds: 150
      securityContext: {runAsNonRoot: true, runAsUser: 2000, fsGroup: 2000, seccompProfile: {type: RuntimeDefault}}
      nodeSelector: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}
      tolerations:
        - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
      containers:
        - name: main
          image: vllm/vllm-openai:v0.33.0@sha256:0000000000000000000000000000000000000000000000000000000000001eef
          command: [vllm, serve]
          args: [/models/model-1, --served-model-name, chat]
          ports:
            - {name: http, containerPort: 8000}
          env:
            - {name: HOME, value: /scratch/home}
            - {name: HF_HUB_OFFLINE, value: "1"}
          envFrom:
            - configMapRef: {name: settings-1}
          startupProbe: {httpGet: {path: /health, port: http}, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 90}
          readinessProbe: {httpGet: {path: /health, port: http}, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3}
          livenessProbe: {httpGet: {path: /health, port: http}, periodSeconds: 15, timeoutSeconds: 10, failureThreshold: 6}
          lifecycle:
            preStop: {sleep: {seconds: 15}}
          resources:
            requests: {cpu: "8", memory: 64Gi, ephemeral-storage: 20Gi, nvidia.com/gpu: 1}
            limits: {memory: 64Gi, ephemeral-storage: 20Gi, nvidia.com/gpu: 1}
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: {drop: [ALL]}
          volumeMounts:
            - {name: scratch, mountPath: /scratch}
            - {name: tmp, mountPath: /tmp}
            - {name: shm, mountPath: /dev/shm}
            - {name: weights, mountPath: /models, readOnly: true}
      volumes:
        - {name: scratch, emptyDir: {sizeLimit: 10Gi}}
        - {name: tmp, emptyDir: {sizeLimit: 1Gi}}
        - {name: shm, emptyDir: {medium: Memory, sizeLimit: 8Gi}}
        - {name: weights, persistentVolumeClaim: {claimName: weights, readOnly: true}}
"""
