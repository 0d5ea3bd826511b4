"""The model: identity, size and source of its files."""

from gpuspec.manifests import Quantity
from gpuspec.spec.forms import AbsolutePath, DataKey, InnerPath, NonEmpty, ObjectName
from gpuspec.spec.types import Annotated, Model, doc
from gpuspec.spec.volumes import HostPath


class Hub(Model):
    """Downloaded at start from the model hub that the runtime knows."""

    token_secret: Annotated[
        ObjectName | None,
        doc("Name of the Secret with the access token, for gated models.", "hf"),
    ] = None
    token_key: Annotated[DataKey, doc("Key within that Secret.", "token")] = "token"
    cache: Annotated[
        ObjectName | None,
        doc(
            "PersistentVolumeClaim that keeps downloads, so that replicas share them. "
            "Default: each pod downloads to its node's disk.",
            "hub-cache",
        ),
    ] = None


class ModelSource(Model):
    """The source of the weights: exactly one of `pvc`, `image`, `hostPath`, `hub`."""

    pvc: Annotated[
        ObjectName | None,
        doc("PersistentVolumeClaim that contains the weights, mounted read-only.", "weights"),
    ] = None
    image: Annotated[
        NonEmpty | None,
        doc(
            "OCI image or artifact that contains the weights; needs Kubernetes 1.36.",
            "ghcr.io/example/weights:1",
        ),
    ] = None
    host_path: HostPath = None
    hub: Annotated[
        Hub | None, doc("Downloaded at startup. `{}` for a public model.", {"tokenSecret": "hf"})
    ] = None
    path: Annotated[
        InnerPath | None,
        doc(
            "Folder of the weights within the volume or image, or their file. Default: its root.",
            "llama-70b",
        ),
    ] = None
    mount: Annotated[
        AbsolutePath | None,
        doc(
            "Mount path of the whole volume or image, which may contain several models. "
            "Default: /models.",
            "/mnt/models",
        ),
    ] = None


class ModelRef(Model):
    """A model: its identity, its size, and the source of its weights."""

    id: Annotated[
        NonEmpty,
        doc(
            "The model's name on its hub or registry. Clients of a model server request it "
            "by this name.",
            "org/model-70b",
        ),
    ]
    revision: Annotated[
        NonEmpty | None,
        doc(
            "Exact revision: a commit or a version. It is downloaded, and recorded as provenance.",
            "5f0b02c75b57",
        ),
    ] = None
    size: Annotated[
        Quantity | None,
        doc(
            "Size of the stored weights in bytes. Determines the startup budget, host "
            "memory and the check against GPU memory; without it they are assumed.",
            "140Gi",
        ),
    ] = None
    quantization: Annotated[
        NonEmpty | None,
        doc(
            "Quantisation method, by the server's name for it. Default: as in the files.",
            "fp8",
        ),
    ] = None
    source: Annotated[
        ModelSource,
        doc("Source of the weights. Default: the hub.", {"pvc": "weights", "path": "llama-70b"}),
    ] = ModelSource(hub=Hub())
