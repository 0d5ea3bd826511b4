"""Which model, how big, and where its files come from."""

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
            "PersistentVolumeClaim that keeps downloads, so that not each replica fetches them. "
            "Unset: each pod downloads onto its node's disk.",
            "hub-cache",
        ),
    ] = None


class ModelSource(Model):
    """Where the weights come from: exactly one of `pvc`, `image`, `hostPath`, `hub`."""

    pvc: Annotated[
        ObjectName | None,
        doc("PersistentVolumeClaim that holds the weights, mounted read-only.", "weights"),
    ] = None
    image: Annotated[
        NonEmpty | None,
        doc(
            "OCI image or artifact that holds the weights; needs Kubernetes 1.36.",
            "ghcr.io/example/weights:1",
        ),
    ] = None
    host_path: HostPath = None
    hub: Annotated[
        Hub | None, doc("Downloaded at start. `{}` for a public model.", {"tokenSecret": "hf"})
    ] = None
    path: Annotated[
        InnerPath | None,
        doc(
            "Folder of the weights within the volume or image, or their file. Unset: its root.",
            "llama-70b",
        ),
    ] = None
    mount: Annotated[
        AbsolutePath | None,
        doc(
            "Where the volume or image is mounted, whole: one may hold several models. Unset: /models.",
            "/mnt/models",
        ),
    ] = None


class ModelRef(Model):
    """A model: its identity, its size, and where its weights come from."""

    id: Annotated[
        NonEmpty,
        doc(
            "Identity of the model, as its hub or registry names it. Clients of a model server "
            "ask for it by this name.",
            "org/model-70b",
        ),
    ]
    revision: Annotated[
        NonEmpty | None,
        doc(
            "Exact revision: a commit or a version. What is downloaded, and kept as provenance.",
            "5f0b02c75b57",
        ),
    ] = None
    size: Annotated[
        Quantity | None,
        doc(
            "Bytes of the weights as stored. The start-up budget, host memory and the check "
            "against GPU memory follow from it; without it they are assumed.",
            "140Gi",
        ),
    ] = None
    quantization: Annotated[
        NonEmpty | None,
        doc(
            "Method by which the server holds the weights in fewer bits, as it calls it. Unset: as "
            "the files are.",
            "fp8",
        ),
    ] = None
    source: Annotated[
        ModelSource,
        doc(
            "Where the weights come from. Unset: the hub.", {"pvc": "weights", "path": "llama-70b"}
        ),
    ] = ModelSource(hub=Hub())
