"""Kubernetes fields that users try in a spec, and the spec's fields for the same purpose."""

_PLACEMENT = "the profile's pools decide where pods run; describe the GPU under `gpu`"
_DERIVED = "it is derived; for anything without a field use `overrides`"

FOREIGN_FIELDS = {
    "affinity": _PLACEMENT,
    "nodeSelector": _PLACEMENT,
    "nodeName": _PLACEMENT,
    "tolerations": _PLACEMENT,
    "topologySpreadConstraints": "write `availability: {zones: soft, nodes: none}`",
    "runtimeClassName": "the profile's pool names it: `runtimeClass`",
    "schedulerName": "the profile names it: `scheduler`",
    "priorityClassName": "write `priority`, which the profile maps to a PriorityClass",
    "securityContext": "it is restricted; see `user`, `capabilities` and `waivers`",
    "containers": "the main one is `image`, `command` and `args`; others go under `sidecars`",
    "template": _DERIVED,
    "strategy": _DERIVED,
    "lifecycle": _DERIVED,
    "terminationGracePeriodSeconds": (
        "it follows from `checkpoint.save` or `longestRequest`; finite work may set `grace: 10s`"
    ),
    "restartPolicy": _DERIVED,
    "imagePullPolicy": "write `pullPolicy: always`, `if-not-present` or `never`",
    "limits": "write the amounts directly: `resources: {cpu: 8, memory: 64Gi}`",
    "requests": "write the amounts directly: `resources: {cpu: 8, memory: 64Gi}`",
    "nvidia.com/gpu": "write `gpu: {count: 1}`",
    "emptyDir": "write `size: 10Gi`",
    "persistentVolumeClaim": "write `pvc: <name>`",
    "hostPath": "a folder of the node: `volumes: [{mount: /x, hostPath: /y}]`, or the model's `source`",
    "mountPath": "write `mount`",
    "ephemeral": "write `size: 100Gi` and `storageClass: <name>`",
    "storageClassName": "write `storageClass`, next to `size`",
    "volumeAttributes": "write `attributes`",
    "nodePublishSecretRef": "write `secret: <name>`",
    "defaultMode": 'write `mode: "0400"`',
    "volumeMounts": "write them under `volumes`, or `mounts` of a sidecar",
    "livenessProbe": "write `probes: {liveness: …}`",
    "readinessProbe": "write `probes: {readiness: …}`",
    "startupProbe": "write `probes: {startup: …}`, or `startup: {budget: 30m}`",
    "activeDeadlineSeconds": "write `duration: {max: 24h}`",
    "backoffLimit": "write `retries: {limit: 3}`, or `shards: {retries: 2}`",
    "backoffLimitPerIndex": "write `shards: {retries: 2}`",
    "maxFailedIndexes": "write `shards: {maxFailed: 1}`",
    "podFailurePolicy": "write `failOnExitCodes: [3]`, or `onExitCode: {3: fail-run}`, for training under "
    "`retries`",
    "completions": "write `workers`, or `shards: {count: 16}`",
    "ttlSecondsAfterFinished": "write `ttlAfterFinished: 1h`, unless GitOps recreates it",
    "concurrencyPolicy": "a schedule's runs never overlap",
    "maxReplicas": "write `replicas: {min: 2, max: 8}`",
    "minReplicas": "write `replicas: {min: 2, max: 8}`",
    "schedulingGates": _DERIVED,
    "suspend": "use `queue`; a schedule has `suspended`",
}
