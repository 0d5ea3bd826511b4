"""The cluster profile: a description of the nodes by the team that owns them."""

from typing import Literal

from gpuspec.kubernetes import VERSIONS
from gpuspec.manifests import Quantity
from gpuspec.spec.admission_checks import MadeCheck
from gpuspec.spec.contracts import Contracts
from gpuspec.spec.forms import (
    LabelName,
    MinorVersion,
    ObjectName,
    PriorityValue,
    Version,
)
from gpuspec.spec.gpu_operator import GpuOperator
from gpuspec.spec.karpenter import NodeClass
from gpuspec.spec.knative import Knative
from gpuspec.spec.metadata import API_VERSION, ProfileMetadata
from gpuspec.spec.metrics import Metrics
from gpuspec.spec.monitoring import Monitoring
from gpuspec.spec.namespaces import Namespace
from gpuspec.spec.network import Network
from gpuspec.spec.node_validation import Validation
from gpuspec.spec.pools import Pool
from gpuspec.spec.queues import Cohort, Queue, Topology
from gpuspec.spec.routing import Gateway
from gpuspec.spec.runtimes import Runtimes
from gpuspec.spec.storage import Storage
from gpuspec.spec.types import Annotated, Model, doc

Provider = Literal["none", "gke", "eks", "eks-auto", "aks", "coreweave", "openshift"]
Preset = Literal[
    "aks", "coreweave", "eks", "eks-auto", "generic", "gke", "gpu-operator", "openshift"
]


class Bandwidths(Model):
    """Bandwidths in bytes per second, as quantities; start-up budgets are derived from them."""

    download: Annotated[
        Quantity | None, doc("From the model hub, per pod. Default: assumed, with a note.", "200Mi")
    ] = None
    default: Annotated[
        Quantity | None,
        doc("From volumes whose claim is not listed. Default: assumed, with a note.", "500Mi"),
    ] = None
    claims: Annotated[
        dict[str, Quantity],
        doc("From a PersistentVolumeClaim, by its name.", {"weights": "2Gi"}),
    ] = {}


class Priorities(Model):
    """PriorityClasses of the cluster, by the names that specs use."""

    names: Annotated[
        dict[str, ObjectName], doc("Names for specs to PriorityClasses.", {"batch": "gpu-batch"})
    ] = {}
    training: Annotated[
        ObjectName | None, doc("Default for Training and FineTune.", "gpu-training")
    ] = None
    batch_inference: Annotated[
        ObjectName | None, doc("Default for BatchInference.", "gpu-batch")
    ] = None
    inference: Annotated[ObjectName | None, doc("Default for Inference.", "gpu-serving")] = None
    placeholder: Annotated[
        ObjectName | None,
        doc("PriorityClass with a negative value, for placeholders.", "gpu-placeholder"),
    ] = None
    values: Annotated[
        dict[str, PriorityValue],
        doc(
            "PriorityClass to value, for `cluster render`. Default: 100000 for inference, "
            "10000 for training and batch inference, -10 for placeholders; other classes "
            "are not created.",
            {"gpu-serving": 100000, "gpu-batch": 10000},
        ),
    ] = {}
    queued: Annotated[
        dict[str, PriorityValue],
        doc(
            "WorkloadPriorityClass to value: the order within queues, and who is preempted "
            "there. A spec with a `queue` names one as its `priority`; one that is in "
            "`names` too sets both. Default: the PriorityClass also counts in queues.",
            {"urgent": 1000, "experiment": 100},
        ),
    ] = {}


_Target = LabelName | None


class Targets(Model):
    """The target APIs of workloads, by the relation of their pods."""

    gang: Annotated[
        _Target, doc("Pods that work together: Training, FineTune. Default: `job`.", "jobset")
    ] = None
    shards: Annotated[
        _Target, doc("Independent shards: BatchInference. Default: `job`.", "job")
    ] = None
    schedule: Annotated[
        _Target, doc("Shards on a schedule: BatchInference. Default: `cronjob`.", "cronjob")
    ] = None
    service: Annotated[_Target, doc("Servers: Inference. Default: `deployment`.", "deployment")] = (
        None
    )


class ClusterProfileSpec(Model):
    """The description of a cluster."""

    kubernetes: Annotated[
        MinorVersion,
        doc(
            "Version of the API server, `major.minor` in quotes. Objects are rendered for "
            f"it: {VERSIONS[0]} to {VERSIONS[-1]}.",
            "1.36",
        ),
    ]
    extends: Annotated[
        Preset | None,
        doc(
            "A built-in profile to build on. Fields here override it: mappings merge by "
            "key, everything else is replaced. Pools get what the provider gives all of "
            "its GPU nodes.",
            "gke",
        ),
    ] = None
    provider: Annotated[
        Provider,
        doc(
            "The provider. Determines which labels name a GPU model by default, who adds "
            "tolerations, and on OpenShift that the platform assigns the pods' user.",
            "gke",
        ),
    ] = "none"
    autopilot: Annotated[
        bool,
        doc(
            "Whether it is a GKE Autopilot cluster, which rejects pods that use the node "
            "or name no GPU model. Only with `provider: gke`.",
            True,
        ),
    ] = False
    pools: Annotated[
        tuple[Pool, ...],
        doc("Its GPU pools. Empty: the nodes are unknown, and notes say what is assumed."),
    ] = ()
    node_classes: Annotated[
        tuple[NodeClass, ...],
        doc(
            "AWS machine classes for Karpenter, for `cluster render`. A class that a pool "
            "names but that is not listed is created elsewhere.",
            [
                {
                    "name": "gpu",
                    "role": "KarpenterNodeRole-eu",
                    "amiAlias": "al2023@v20260805",
                    "subnets": {"karpenter.sh/discovery": "eu"},
                    "securityGroups": {"karpenter.sh/discovery": "eu"},
                }
            ],
        ),
    ] = ()
    installed: Annotated[
        dict[str, Version],
        doc(
            "Installed components, with versions. A spec with a `queue` needs `kueue` "
            "here, or a `scheduler` with queues, `volcano` or `kai-scheduler`. "
            "`generic-workload`: Kubernetes' feature gate of that name is on, and the API "
            "scheduling.k8s.io/v1beta1 is served.",
            {"kueue": "0.19", "prometheus-adapter": "0.12"},
        ),
    ] = {}
    gpu_operator: Annotated[
        GpuOperator | None,
        doc(
            "Settings for NVIDIA's GPU Operator beyond those that follow from the pools; "
            "needs `gpu-operator` in `installed`. Default: only how GPUs are shared.",
            {"driver": {"version": "580.105.08"}},
        ),
    ] = None
    validation: Annotated[
        Validation | None,
        doc(
            "How nodes are validated before they get work, by Jobs of `cluster render "
            "--validation`. Default: not at all.",
            {"image": "ghcr.io/example/nccl-tests:2.17.6"},
        ),
    ] = None
    targets: Annotated[
        Targets,
        doc(
            "The APIs that run workloads here, unless a spec names one. What they need is "
            "in `installed`.",
            {"gang": "jobset"},
        ),
    ] = Targets()
    knative: Annotated[
        Knative,
        doc(
            "Settings of its Knative Serving, for the targets `knative` and `kserve-knative`.",
            {"features": ["kubernetes.podspec-tolerations"], "longestTimeout": "1h"},
        ),
    ] = Knative()
    runtimes: Annotated[
        Runtimes,
        doc(
            "The platform's own runtimes for operators, which workloads use instead of "
            "rendered ones.",
            {"training": {"name": "torch-distributed"}},
        ),
    ] = Runtimes()
    namespaces: Annotated[
        tuple[Namespace, ...],
        doc(
            "Namespaces and their Pod Security level.",
            [{"name": "serving", "podSecurity": "restricted"}],
        ),
    ] = ()
    bandwidth: Annotated[
        Bandwidths,
        doc("How fast weights can be read.", {"default": "500Mi", "download": "200Mi"}),
    ] = Bandwidths()
    storage: Annotated[
        Storage,
        doc(
            "StorageClasses, and which claims use them.",
            {"claims": {"weights": "standard-rwx"}},
        ),
    ] = Storage()
    metrics: Annotated[
        Metrics | None,
        doc(
            "Source of autoscaling metrics. Default: no autoscalers.",
            {"source": "custom-metrics"},
        ),
    ] = None
    monitoring: Annotated[
        Monitoring | None,
        doc(
            "How its monitoring finds metrics, alerts and dashboards. Monitors need "
            "`prometheus-operator` or `opentelemetry-operator` in `installed`, alerts the "
            "former. Default: none.",
            {"scrape": "pod-monitor", "labels": {"release": "kube-prometheus-stack"}},
        ),
    ] = None
    network: Annotated[
        Network | None,
        doc(
            "Peers of model servers. Default: no network policies.",
            {"ingress": [{"namespace": "gateway"}]},
        ),
    ] = None
    gateway: Annotated[
        Gateway | None,
        doc(
            "The Gateway through which clients reach servers with a `route`; needs "
            "`gateway-api` in `installed`. Default: no routes.",
            {"name": "public", "namespace": "gateway", "listener": "https"},
        ),
    ] = None
    priorities: Annotated[
        Priorities,
        doc("PriorityClasses.", {"training": "gpu-training", "inference": "gpu-serving"}),
    ] = Priorities()
    queues: Annotated[
        tuple[Queue, ...],
        doc(
            "Queues that admit workloads. Empty: unknown, and a spec may name any; "
            "otherwise only these.",
            [
                {
                    "name": "research",
                    "namespaces": ["research"],
                    "pools": [{"pool": "h100", "gpus": 32}],
                }
            ],
        ),
    ] = ()
    cohorts: Annotated[
        tuple[Cohort, ...],
        doc(
            "Cohorts that are more than a name which queues share: with limits, GPUs of their own, "
            "or in a tree.",
            [{"name": "research", "parent": "all"}, {"name": "all"}],
        ),
    ] = ()
    admission_checks: Annotated[
        tuple[MadeCheck, ...],
        doc(
            "Admission checks of queues, for `cluster render`. A check that a queue names "
            "but that is not listed is created elsewhere.",
            [{"name": "nodes", "provisioningRequest": {}}],
        ),
    ] = ()
    topology: Annotated[
        Topology | None,
        doc(
            "Levels of closeness between nodes, for workers that a queue keeps close. "
            "Default: specs may not request it.",
            {"levels": [{"name": "rack", "label": "example.com/rack"}]},
        ),
    ] = None
    image_pull_secrets: Annotated[
        tuple[ObjectName, ...], doc("Registry Secrets that exist in every namespace.", ["ghcr"])
    ] = ()
    contracts: Annotated[
        Contracts,
        doc(
            "The organisation's requirements for every workload; `gpuspec lint -c` checks them.",
            {"requiredLabels": ["owner"], "registries": ["ghcr.io/example"], "digests": True},
        ),
    ] = Contracts()
    scoring: Annotated[
        Literal["least-allocated", "most-allocated"],
        doc(
            "How its scheduler scores nodes, which `fit` follows: `least-allocated`, the "
            "default, by CPU and memory only; `most-allocated`: the plugin "
            "NodeResourcesFit packs, with devices weighted above CPU and memory."
        ),
    ] = "least-allocated"
    provenance: Annotated[
        Literal["brief", "full"],
        doc(
            "Provenance in annotations. `brief`: the object with the pods names image, "
            "model and data, and a digest of spec and profile. `full`: every object, plus "
            "the version of gpuspec and separate digests of spec, profile and templates, "
            "so that each release changes them all.",
            "full",
        ),
    ] = "brief"
    scheduler: Annotated[
        ObjectName | None,
        doc(
            "schedulerName of GPU pods. Default: the default scheduler. `volcano` and "
            "`kai-scheduler` start workers together, if they are in `installed`.",
            "bin-packing",
        ),
    ] = None


class ClusterProfile(Model, tag_field="kind", tag="ClusterProfile"):
    """A description of one cluster's nodes, written by the team that owns them."""

    api_version: Annotated[Literal["gpuspec.dev/v1alpha1"], doc("Always " + API_VERSION + ".")]
    metadata: Annotated[ProfileMetadata, doc("Name of the profile.", {"name": "eu"})]
    spec: Annotated[ClusterProfileSpec, doc("The cluster.")]
