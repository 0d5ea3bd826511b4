"""The typed models: the four workload kinds and `ClusterProfile`, and the parsing of documents into
them."""

from gpuspec.spec.artifacts import Artifact, HubData
from gpuspec.spec.common import Override, WorkloadSpec
from gpuspec.spec.containers import Container, Env, EnvFrom, EnvSource
from gpuspec.spec.fabric import Rdma
from gpuspec.spec.inference import (
    Inference,
    InferenceSpec,
    at_least,
    degrees,
    is_own_image,
)
from gpuspec.spec.jobs import (
    METHOD_FACTOR,
    BatchInference,
    BatchInferenceSpec,
    FineTune,
    FineTuneSpec,
    Training,
    TrainingFields,
    TrainingSpec,
)
from gpuspec.spec.karpenter import Karpenter, NodeClass
from gpuspec.spec.layout import DATA, HOME, MAIN_CONTAINER, MODELS, PYTHON
from gpuspec.spec.load import load_profiles, load_workloads
from gpuspec.spec.metadata import API_VERSION, Metadata, ProfileMetadata
from gpuspec.spec.metrics import Metrics
from gpuspec.spec.model_source import ModelRef
from gpuspec.spec.monitoring import Monitoring, Objectives, OwnMetrics
from gpuspec.spec.network import Egress, Peer
from gpuspec.spec.parse import is_ours, parse_profile, parse_workload
from gpuspec.spec.pool_models import model_of, slice_of
from gpuspec.spec.pools import (
    HostResources,
    NodeCount,
    Pool,
    PoolGpu,
    ReservedResources,
    Taint,
)
from gpuspec.spec.probing import Probe
from gpuspec.spec.profile import ClusterProfile, ClusterProfileSpec, Preset, Provider
from gpuspec.spec.queues import Cohort, Queue, QueuePool, Topology, TopologyLevel, find_queue
from gpuspec.spec.replicas import MetricFrom, Replicas
from gpuspec.spec.rules.sharing import disagreeing, product_suffix, shared_node_labels
from gpuspec.spec.rules.tenancy import sharing_objection, takes_whole
from gpuspec.spec.rules.volumes import volume_name
from gpuspec.spec.sharing import Sharing
from gpuspec.spec.types import Duration
from gpuspec.spec.volumes import Volume
from gpuspec.spec.workload import PROFILE_KIND, WORKLOAD_KINDS, Profile, Workload

__all__ = [
    "API_VERSION",
    "DATA",
    "HOME",
    "MAIN_CONTAINER",
    "METHOD_FACTOR",
    "MODELS",
    "PROFILE_KIND",
    "PYTHON",
    "WORKLOAD_KINDS",
    "Artifact",
    "BatchInference",
    "BatchInferenceSpec",
    "ClusterProfile",
    "ClusterProfileSpec",
    "Cohort",
    "Container",
    "Duration",
    "Egress",
    "Env",
    "EnvFrom",
    "EnvSource",
    "FineTune",
    "FineTuneSpec",
    "HostResources",
    "HubData",
    "Inference",
    "InferenceSpec",
    "Karpenter",
    "Metadata",
    "MetricFrom",
    "Metrics",
    "ModelRef",
    "Monitoring",
    "NodeClass",
    "NodeCount",
    "Objectives",
    "Override",
    "OwnMetrics",
    "Peer",
    "Pool",
    "PoolGpu",
    "Preset",
    "Probe",
    "Profile",
    "ProfileMetadata",
    "Provider",
    "Queue",
    "QueuePool",
    "Rdma",
    "Replicas",
    "ReservedResources",
    "Sharing",
    "Taint",
    "Topology",
    "TopologyLevel",
    "Training",
    "TrainingFields",
    "TrainingSpec",
    "Volume",
    "Workload",
    "WorkloadSpec",
    "at_least",
    "degrees",
    "disagreeing",
    "find_queue",
    "is_ours",
    "is_own_image",
    "load_profiles",
    "load_workloads",
    "model_of",
    "parse_profile",
    "parse_workload",
    "product_suffix",
    "shared_node_labels",
    "sharing_objection",
    "slice_of",
    "takes_whole",
    "volume_name",
]
