"""What every document begins with: its version, its name, its labels and annotations."""

from gpuspec.spec.forms import LabelName
from gpuspec.spec.types import Annotated, Model, doc

API_VERSION = "gpuspec.dev/v1alpha1"

Labels = dict[str, str]


class Metadata(Model):
    """Name, namespace and metadata of the workload, carried to the objects made from it."""

    name: Annotated[
        LabelName,
        doc(
            "Name of the workload: a-z, 0-9 and '-'. Objects are named after it, some with a "
            "suffix (a run, a digest, an index), and those names must stay within 63 characters. "
            "Where a Service is made, it begins with a letter.",
            "chat",
        ),
    ]
    namespace: Annotated[
        LabelName, doc("Namespace of every object made from this workload.", "serving")
    ] = "default"
    labels: Annotated[
        Labels,
        doc(
            "Extra labels for the objects and their pods. Not for the keys that gpuspec sets: "
            "app.kubernetes.io/name, component, part-of, managed-by, and gpuspec.dev/….",
            {"cost-center": "4711"},
        ),
    ] = {}
    annotations: Annotated[
        Labels,
        doc(
            "Extra annotations for the objects (not their pods, which would restart when one "
            "changes). Not under gpuspec.dev/, where provenance stands.",
            {"example.com/runbook": "https://example.com/runbooks/chat"},
        ),
    ] = {}


class ProfileMetadata(Model):
    """Name of a profile, and labels of its cluster. Annotations are for the tools that carry the document."""

    name: Annotated[
        LabelName,
        doc(
            "Name of the profile: a-z, 0-9 and '-'. Answers name it, and `{profile}` in an output "
            "folder becomes it.",
            "eu",
        ),
    ]
    labels: Annotated[
        Labels,
        doc(
            "Labels of the cluster, by which workloads say which `clusters` they are for; no object "
            "gets them.",
            {"env": "prod"},
        ),
    ] = {}
    annotations: Annotated[Labels, doc("Annotations of the document; no object gets them.")] = {}
