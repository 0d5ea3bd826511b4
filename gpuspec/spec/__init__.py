"""The typed models: the four workload kinds and `ClusterProfile`, and how documents become them."""

from gpuspec.spec.common import (
    API_VERSION,
    Artifact,
    Container,
    Env,
    EnvFrom,
    EnvSource,
    Metadata,
    Override,
    Volume,
    WorkloadSpec,
)
from gpuspec.spec.inference import Inference, InferenceSpec, Probe, Replicas
from gpuspec.spec.jobs import (
    BatchInference,
    BatchInferenceSpec,
    FineTune,
    FineTuneSpec,
    Training,
    TrainingFields,
    TrainingSpec,
)
from gpuspec.spec.load import load_profiles, load_workloads
from gpuspec.spec.model_source import ModelRef
from gpuspec.spec.parse import is_ours, parse_profile, parse_workload
from gpuspec.spec.profile import (
    ClusterProfile,
    ClusterProfileSpec,
    HostResources,
    NodeCount,
    Peer,
    Pool,
    Rdma,
)
from gpuspec.spec.rules.containers import MAIN_CONTAINER, volume_name
from gpuspec.spec.schema import KINDS, file_name, json_schema
from gpuspec.spec.starters import starter
from gpuspec.spec.types import Duration
from gpuspec.spec.workload import PROFILE_KIND, WORKLOAD_KINDS, Profile, Workload

__all__ = [
    "API_VERSION",
    "KINDS",
    "MAIN_CONTAINER",
    "PROFILE_KIND",
    "WORKLOAD_KINDS",
    "Artifact",
    "BatchInference",
    "BatchInferenceSpec",
    "ClusterProfile",
    "ClusterProfileSpec",
    "Container",
    "Duration",
    "Env",
    "EnvFrom",
    "EnvSource",
    "FineTune",
    "FineTuneSpec",
    "HostResources",
    "Inference",
    "InferenceSpec",
    "Metadata",
    "ModelRef",
    "NodeCount",
    "Override",
    "Peer",
    "Pool",
    "Probe",
    "Profile",
    "Rdma",
    "Replicas",
    "Training",
    "TrainingFields",
    "TrainingSpec",
    "Volume",
    "Workload",
    "WorkloadSpec",
    "file_name",
    "is_ours",
    "json_schema",
    "load_profiles",
    "load_workloads",
    "parse_profile",
    "parse_workload",
    "starter",
    "volume_name",
]
