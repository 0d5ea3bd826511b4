"""The metadata of every document: name, labels and annotations."""

from gpuspec.spec.forms import LabelName
from gpuspec.spec.types import Annotated, Model, doc

API_VERSION = "gpuspec.dev/v1alpha1"

Labels = dict[str, str]


class Metadata(Model):
    """Name, namespace and metadata of the workload, which are passed on to its objects."""

    name: Annotated[
        LabelName,
        doc(
            "Name of the workload: a-z, 0-9 and '-'. Objects are named after it, some with "
            "a suffix (a run, a digest, an index), and those names must stay within 63 "
            "characters. With a Service, it must begin with a letter.",
            "chat",
        ),
    ]
    namespace: Annotated[
        LabelName, doc("Namespace of all objects of this workload.", "serving")
    ] = "default"
    labels: Annotated[
        Labels,
        doc(
            "Extra labels for the objects and their pods, except the keys that gpuspec "
            "sets: app.kubernetes.io/name, component, part-of, managed-by, and "
            "gpuspec.dev/….",
            {"cost-center": "4711"},
        ),
    ] = {}
    annotations: Annotated[
        Labels,
        doc(
            "Extra annotations for the objects (not their pods, which would restart on a "
            "change). Not under gpuspec.dev/, which is for provenance.",
            {"example.com/runbook": "https://example.com/runbooks/chat"},
        ),
    ] = {}


class ProfileMetadata(Model):
    """Name of a profile, and labels of its cluster. Annotations are for tools that process the
    document."""

    name: Annotated[
        LabelName,
        doc(
            "Name of the profile: a-z, 0-9 and '-'. Reports use it, and it replaces `{profile}` "
            "in an output folder.",
            "eu",
        ),
    ]
    labels: Annotated[
        Labels,
        doc(
            "Labels of the cluster, by which workloads select their `clusters`; no object "
            "gets them.",
            {"env": "prod"},
        ),
    ] = {}
    annotations: Annotated[Labels, doc("Annotations of the document; no object gets them.")] = {}
