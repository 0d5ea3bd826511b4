"""The table of kinds, in the order in which objects are applied.

The order is ours, after Helm's install order and kubectl's advice: what others need comes first.
Namespaces and definitions; what is cluster-wide; permissions; limits; identity and data; policy and
network names, so that they hold for the first pod; queues; workloads; what acts on workloads.

Sources: the API reference of Kubernetes 1.37; the CRDs of JobSet 0.12, LeaderWorkerSet 0.10,
Kueue 0.19, Kubeflow Trainer 2.3 and training-operator 1.9, mpi-operator 0.8, KubeRay 1.7,
KServe 0.20, Volcano 1.15, KEDA 2.20, AppWrapper 1.2, Karpenter 1.14, GPU Operator 26.7, Gateway API
1.6, prometheus-operator 0.93; Argo Workflows and Rollouts; Knative Serving; NIM Operator.
"""

import msgspec


class Kind(msgspec.Struct, frozen=True):
    """A kind of object. In patterns, ``*`` stands for every key or index."""

    group: str
    """The API group; empty for the core one."""
    name: str
    namespaced: bool = True
    templates: tuple[str, ...] = ()
    """Where pods with metadata are: what holds ``metadata`` and ``spec``."""
    specs: tuple[str, ...] = ()
    """Where pod specs without metadata are."""
    argo: tuple[str, ...] = ()
    """Where Argo's templates are, some of which are pods."""
    objects: tuple[str, ...] = ()
    """Where whole objects are."""


def _cluster(group: str, *names: str) -> tuple[Kind, ...]:
    return tuple(Kind(group, name, namespaced=False) for name in names)


def _spaced(group: str, *names: str) -> tuple[Kind, ...]:
    return tuple(Kind(group, name) for name in names)


def _pods(group: str, name: str, *templates: str) -> Kind:
    return Kind(group, name, templates=templates)


_JOB = "spec.template"
_ARGO = ("spec.templates.*",)
_RAY = ("headGroupSpec.template", "workerGroupSpecs.*.template")
_JOBSET = "replicatedJobs.*.template.spec.template"
_LWS = ("leaderWorkerTemplate.leaderTemplate", "leaderWorkerTemplate.workerTemplate")
_RUNTIME = ("spec", "spec.workerSpec")
_KSERVE = ("predictor", "predictor.workerSpec", "transformer", "explainer", "canary.*.predictor")
_LLM = ("template", "worker", "prefill.template", "prefill.worker", "router.scheduler.template")


def _below(base: str, *patterns: str) -> tuple[str, ...]:
    return tuple(f"{base}.{pattern}" for pattern in patterns)


ORDER: tuple[Kind, ...] = (
    Kind("", "List", objects=("items.*",)),
    *_cluster("", "Namespace"),
    *_cluster("apiextensions.k8s.io", "CustomResourceDefinition"),
    # Cluster-wide, and named by others.
    *_cluster("scheduling.k8s.io", "PriorityClass"),
    *_cluster("node.k8s.io", "RuntimeClass"),
    *_cluster("storage.k8s.io", "CSIDriver", "StorageClass", "VolumeAttributesClass"),
    *_cluster("", "PersistentVolume", "Node"),
    *_cluster("resource.k8s.io", "DeviceClass", "ResourceSlice"),
    *_cluster("networking.k8s.io", "IngressClass"),
    *_cluster("gateway.networking.k8s.io", "GatewayClass"),
    *_cluster("nvidia.com", "ClusterPolicy", "GPUCluster", "NVIDIADriver"),
    *_cluster("karpenter.sh", "NodePool", "NodeOverlay", "NodeClaim"),
    # Permissions and limits.
    *_spaced("", "ServiceAccount"),
    *_cluster("rbac.authorization.k8s.io", "ClusterRole", "ClusterRoleBinding"),
    *_spaced("rbac.authorization.k8s.io", "Role", "RoleBinding"),
    *_spaced("", "ResourceQuota", "LimitRange"),
    # Data.
    *_spaced("", "Secret", "ConfigMap", "PersistentVolumeClaim"),
    *_spaced("resource.k8s.io", "ResourceClaimTemplate", "ResourceClaim"),
    *_spaced("resource.nvidia.com", "ComputeDomain", "ComputeDomainClique"),
    # What must hold for the first pod.
    *_spaced("networking.k8s.io", "NetworkPolicy"),
    *_spaced("", "Service", "Endpoints"),
    *_spaced("discovery.k8s.io", "EndpointSlice"),
    *_spaced("policy", "PodDisruptionBudget"),
    # Queues.
    *_cluster("kueue.x-k8s.io", "Topology", "ResourceFlavor", "WorkloadPriorityClass"),
    *_cluster("kueue.x-k8s.io", "ProvisioningRequestConfig", "MultiKueueCluster"),
    *_cluster("kueue.x-k8s.io", "MultiKueueConfig", "AdmissionCheck", "Cohort", "ClusterQueue"),
    *_spaced("kueue.x-k8s.io", "LocalQueue"),
    *_cluster("topology.volcano.sh", "HyperNode"),
    *_cluster("scheduling.volcano.sh", "Queue"),
    *_spaced("scheduling.volcano.sh", "PodGroup"),
    *_spaced("scheduling.k8s.io", "Workload", "PodGroup"),
    # What workloads of their own kind refer to.
    Kind(
        "trainer.kubeflow.org",
        "ClusterTrainingRuntime",
        namespaced=False,
        templates=_below("spec.template.spec", _JOBSET),
    ),
    _pods("trainer.kubeflow.org", "TrainingRuntime", *_below("spec.template.spec", _JOBSET)),
    *_cluster("serving.kserve.io", "ClusterStorageContainer"),
    Kind("serving.kserve.io", "ClusterServingRuntime", namespaced=False, specs=_RUNTIME),
    Kind("serving.kserve.io", "ServingRuntime", specs=_RUNTIME),
    *_cluster("serving.kserve.io", "LocalModelNodeGroup", "LocalModelCache"),
    Kind("serving.kserve.io", "LLMInferenceServiceConfig", specs=_below("spec", *_LLM)),
    Kind("argoproj.io", "ClusterWorkflowTemplate", namespaced=False, argo=_ARGO),
    Kind("argoproj.io", "WorkflowTemplate", argo=_ARGO),
    *_spaced("apps.nvidia.com", "NIMCache"),
    _pods("", "PodTemplate", "template"),
    # Workloads.
    _pods("apps", "DaemonSet", _JOB),
    _pods("", "Pod", ""),
    _pods("", "ReplicationController", _JOB),
    _pods("apps", "ReplicaSet", _JOB),
    _pods("apps", "Deployment", _JOB),
    _pods("apps", "StatefulSet", _JOB),
    *_spaced("apps", "ControllerRevision"),
    _pods("batch", "Job", _JOB),
    _pods("batch", "CronJob", "spec.jobTemplate.spec.template"),
    _pods("jobset.x-k8s.io", "JobSet", *_below("spec", _JOBSET)),
    _pods("leaderworkerset.x-k8s.io", "LeaderWorkerSet", *_below("spec", *_LWS)),
    _pods("disaggregatedset.x-k8s.io", "DisaggregatedSet", *_below("spec.roles.*.spec", *_LWS)),
    _pods(
        "trainer.kubeflow.org",
        "TrainJob",
        *_below("spec.runtimePatches.*.trainingRuntimeSpec.template.spec", _JOBSET),
    ),
    _pods("kubeflow.org", "PyTorchJob", "spec.pytorchReplicaSpecs.*.template"),
    _pods("kubeflow.org", "TFJob", "spec.tfReplicaSpecs.*.template"),
    _pods("kubeflow.org", "JAXJob", "spec.jaxReplicaSpecs.*.template"),
    _pods("kubeflow.org", "XGBoostJob", "spec.xgbReplicaSpecs.*.template"),
    _pods("kubeflow.org", "PaddleJob", "spec.paddleReplicaSpecs.*.template"),
    _pods("kubeflow.org", "MPIJob", "spec.mpiReplicaSpecs.*.template"),
    _pods("batch.volcano.sh", "Job", "spec.tasks.*.template"),
    _pods("batch.volcano.sh", "CronJob", "spec.jobTemplate.spec.tasks.*.template"),
    _pods("ray.io", "RayCluster", *_below("spec", *_RAY)),
    _pods("ray.io", "RayJob", *_below("spec.rayClusterSpec", *_RAY), "spec.submitterPodTemplate"),
    _pods("ray.io", "RayService", *_below("spec.rayClusterConfig", *_RAY)),
    _pods(
        "ray.io",
        "RayCronJob",
        *_below("spec.jobTemplate.rayClusterSpec", *_RAY),
        "spec.jobTemplate.submitterPodTemplate",
    ),
    Kind("serving.kserve.io", "InferenceService", specs=_below("spec", *_KSERVE)),
    Kind("serving.kserve.io", "LLMInferenceService", specs=_below("spec", *_LLM)),
    # A NIMService has no pod spec: image, resources and scheduling lie flat in its own.
    *_spaced("apps.nvidia.com", "NIMService", "NIMPipeline"),
    Kind("workload.codeflare.dev", "AppWrapper", objects=("spec.components.*.template",)),
    _pods("kueue.x-k8s.io", "Workload", "spec.podSets.*.template"),
    Kind("argoproj.io", "Workflow", argo=_ARGO),
    Kind("argoproj.io", "CronWorkflow", argo=("spec.workflowSpec.templates.*",)),
    _pods("argoproj.io", "Rollout", _JOB),
    _pods("serving.knative.dev", "Service", _JOB),
    _pods("serving.knative.dev", "Configuration", _JOB),
    _pods("serving.knative.dev", "Revision", ""),
    # What acts on workloads.
    *_spaced("autoscaling", "HorizontalPodAutoscaler"),
    *_spaced("autoscaling.k8s.io", "VerticalPodAutoscaler"),
    *_cluster("keda.sh", "ClusterTriggerAuthentication"),
    *_spaced("keda.sh", "TriggerAuthentication", "ScaledObject"),
    _pods("keda.sh", "ScaledJob", "spec.jobTargetRef.template"),
    *_spaced("autoscaling.x-k8s.io", "CapacityBuffer"),
    *_spaced("inference.networking.k8s.io", "InferencePool"),
    *_spaced("networking.k8s.io", "Ingress"),
    *_spaced("gateway.networking.k8s.io", "Gateway", "HTTPRoute", "GRPCRoute", "ReferenceGrant"),
    *_spaced("monitoring.coreos.com", "ServiceMonitor", "PodMonitor", "Probe", "PrometheusRule"),
    *_cluster("apiregistration.k8s.io", "APIService"),
    *_cluster("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"),
    *_cluster("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"),
    *_cluster("admissionregistration.k8s.io", "MutatingWebhookConfiguration"),
    *_cluster("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"),
)
