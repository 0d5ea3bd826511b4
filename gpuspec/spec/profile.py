"""The cluster profile: what the team that owns the nodes says about them."""

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
    """Bytes per second, as quantities; start-up budgets follow from them."""

    download: Annotated[
        Quantity | None, doc("From the model hub, per pod. Unset: assumed, and said so.", "200Mi")
    ] = None
    default: Annotated[
        Quantity | None,
        doc("From volumes whose claim is not listed. Unset: assumed, and said so.", "500Mi"),
    ] = None
    claims: Annotated[
        dict[str, Quantity],
        doc("From a PersistentVolumeClaim, by its name.", {"weights": "2Gi"}),
    ] = {}


class Priorities(Model):
    """PriorityClasses of the cluster, by the names that specs use."""

    names: Annotated[
        dict[str, ObjectName], doc("Spec's name to PriorityClass.", {"batch": "gpu-batch"})
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
        doc("PriorityClass of a negative value, for warm placeholders.", "gpu-placeholder"),
    ] = None
    values: Annotated[
        dict[str, PriorityValue],
        doc(
            "PriorityClass to value, for `cluster render`. Unset: 100000 for inference, 10000 for "
            "training and batch inference, -10 for placeholders; other classes are not made.",
            {"gpu-serving": 100000, "gpu-batch": 10000},
        ),
    ] = {}
    queued: Annotated[
        dict[str, PriorityValue],
        doc(
            "WorkloadPriorityClass to value: the order among what waits in queues, and who gives "
            "way there. A spec with a `queue` names one as its `priority`; one that is in `names` "
            "too has both. Unset: the PriorityClass counts in queues as well.",
            {"urgent": 1000, "experiment": 100},
        ),
    ] = {}


_Target = LabelName | None


class Targets(Model):
    """The APIs that carry workloads, by what their pods are to each other."""

    gang: Annotated[
        _Target, doc("Pods that work together: Training, FineTune. Unset: `job`.", "jobset")
    ] = None
    shards: Annotated[
        _Target, doc("Pieces, each of its own: BatchInference. Unset: `job`.", "job")
    ] = None
    schedule: Annotated[
        _Target, doc("Pieces by a schedule: BatchInference. Unset: `cronjob`.", "cronjob")
    ] = None
    service: Annotated[
        _Target, doc("Servers that go on: Inference. Unset: `deployment`.", "deployment")
    ] = None


class ClusterProfileSpec(Model):
    """A cluster as workloads see it."""

    kubernetes: Annotated[
        MinorVersion,
        doc(
            "Version of its API server, `major.minor` in quotes. Objects are made for it: "
            f"{VERSIONS[0]} to {VERSIONS[-1]}.",
            "1.36",
        ),
    ]
    extends: Annotated[
        Preset | None,
        doc(
            "A built-in profile that this one goes on from. What is written here wins: mappings "
            "merge by key, everything else is replaced. Pools get what the provider gives to all "
            "of its GPU nodes.",
            "gke",
        ),
    ] = None
    provider: Annotated[
        Provider,
        doc(
            "Who runs it. Decides which labels name a GPU model where a pool has none, who adds "
            "tolerations, and on OpenShift that the platform assigns the user of pods.",
            "gke",
        ),
    ] = "none"
    autopilot: Annotated[
        bool,
        doc(
            "Whether it is a GKE Autopilot cluster, whose admission refuses pods that use the node or "
            "name no GPU model. With `provider: gke` alone.",
            True,
        ),
    ] = False
    pools: Annotated[
        tuple[Pool, ...],
        doc("Its GPU pools. Empty: nothing is known of the nodes, and assumptions are said."),
    ] = ()
    node_classes: Annotated[
        tuple[NodeClass, ...],
        doc(
            "Classes of machines on AWS that Karpenter makes nodes of, for `cluster render`. One that a "
            "pool names and that is not here is made elsewhere.",
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
            "What is installed, with versions. A spec with a `queue` needs `kueue` here, or a `scheduler` "
            "that has queues, `volcano` or `kai-scheduler`. `generic-workload`: Kubernetes' feature gate of "
            "that name is on, and the API scheduling.k8s.io/v1beta1 served.",
            {"kueue": "0.19", "prometheus-adapter": "0.12"},
        ),
    ] = {}
    gpu_operator: Annotated[
        GpuOperator | None,
        doc(
            "What NVIDIA's GPU Operator is told, beyond what follows from the pools; needs "
            "`gpu-operator` in `installed`. Unset: only how GPUs are shared.",
            {"driver": {"version": "580.105.08"}},
        ),
    ] = None
    validation: Annotated[
        Validation | None,
        doc(
            "How nodes are proven before work comes to them, by Jobs of `cluster render --validation`. "
            "Unset: there are none.",
            {"image": "ghcr.io/example/nccl-tests:2.17.6"},
        ),
    ] = None
    targets: Annotated[
        Targets,
        doc(
            "The APIs that carry workloads here, where a spec names none. What they need is in "
            "`installed`.",
            {"gang": "jobset"},
        ),
    ] = Targets()
    knative: Annotated[
        Knative,
        doc(
            "How its Knative Serving is set up, for the targets `knative` and `kserve-knative`.",
            {"features": ["kubernetes.podspec-tolerations"], "longestTimeout": "1h"},
        ),
    ] = Knative()
    runtimes: Annotated[
        Runtimes,
        doc(
            "Runtimes that the platform keeps for operators, which workloads use in place of what would "
            "be rendered for them.",
            {"training": {"name": "torch-distributed"}},
        ),
    ] = Runtimes()
    namespaces: Annotated[
        tuple[Namespace, ...],
        doc("Namespaces and their level.", [{"name": "serving", "podSecurity": "restricted"}]),
    ] = ()
    bandwidth: Annotated[
        Bandwidths,
        doc("How fast weights can be read.", {"default": "500Mi", "download": "200Mi"}),
    ] = Bandwidths()
    storage: Annotated[
        Storage,
        doc(
            "StorageClasses, and which claims are of them.",
            {"claims": {"weights": "standard-rwx"}},
        ),
    ] = Storage()
    metrics: Annotated[
        Metrics | None,
        doc(
            "Where autoscaling metrics come from. Unset: no autoscaler is made.",
            {"source": "custom-metrics"},
        ),
    ] = None
    monitoring: Annotated[
        Monitoring | None,
        doc(
            "How its monitoring finds what is to be scraped, alerts and dashboards. The monitors need "
            "`prometheus-operator` or `opentelemetry-operator` in `installed`, alerts the first. Unset: "
            "none of these are made.",
            {"scrape": "pod-monitor", "labels": {"release": "kube-prometheus-stack"}},
        ),
    ] = None
    network: Annotated[
        Network | None,
        doc(
            "Peers of model servers. Unset: no network policy is rendered.",
            {"ingress": [{"namespace": "gateway"}]},
        ),
    ] = None
    gateway: Annotated[
        Gateway | None,
        doc(
            "The Gateway through which clients come to servers with a `route`; needs `gateway-api` in "
            "`installed`. Unset: no route is made.",
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
            "Queues that admit workloads. Empty: nothing is known of them, and a spec may name "
            "any; else only these.",
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
            "What queues ask before a workload starts, for `cluster render`. One that a queue names and "
            "that is not here is made elsewhere.",
            [{"name": "nodes", "provisioningRequest": {}}],
        ),
    ] = ()
    topology: Annotated[
        Topology | None,
        doc(
            "Levels of closeness between nodes, for workers that a queue keeps close. Unset: no "
            "spec may ask for it.",
            {"levels": [{"name": "rack", "label": "example.com/rack"}]},
        ),
    ] = None
    image_pull_secrets: Annotated[
        tuple[ObjectName, ...], doc("Registry Secrets that every namespace has.", ["ghcr"])
    ] = ()
    contracts: Annotated[
        Contracts,
        doc(
            "What the organisation asks of every workload; `gpuspec lint -c` holds them to it.",
            {"requiredLabels": ["owner"], "registries": ["ghcr.io/example"], "digests": True},
        ),
    ] = Contracts()
    scoring: Annotated[
        Literal["least-allocated", "most-allocated"],
        doc(
            "How its scheduler fills nodes, which `fit` follows: `least-allocated`, as it comes, by "
            "CPU and memory alone; `most-allocated`: the plugin NodeResourcesFit packs, devices "
            "weighted above CPU and memory."
        ),
    ] = "least-allocated"
    provenance: Annotated[
        Literal["brief", "full"],
        doc(
            "What objects say of where they come from, in annotations. `brief`: the one that "
            "carries the pods names image, model and data, and a digest of spec and profile. "
            "`full`: every object, also the version of gpuspec and a digest each of spec, profile "
            "and templates, so that each release changes them all.",
            "full",
        ),
    ] = "brief"
    scheduler: Annotated[
        ObjectName | None,
        doc(
            "schedulerName of GPU pods. Unset: the default scheduler. `volcano` and `kai-scheduler` "
            "start workers together, where they are in `installed`.",
            "bin-packing",
        ),
    ] = None


class ClusterProfile(Model, tag_field="kind", tag="ClusterProfile"):
    """What the nodes of one cluster are, written by the team that owns them."""

    api_version: Annotated[Literal["gpuspec.dev/v1alpha1"], doc("Always " + API_VERSION + ".")]
    metadata: Annotated[ProfileMetadata, doc("Name of the profile.", {"name": "eu"})]
    spec: Annotated[ClusterProfileSpec, doc("The cluster.")]
