"""Which model, how big, and where its files come from."""

from typing import Annotated

from gpuspec.manifests import Quantity
from gpuspec.spec.types import Model, doc


class Hub(Model):
    """Downloaded at start from the runtime's model hub."""

    token_secret: Annotated[
        str | None, doc("Name of the Secret with the access token, for gated models.", "hf")
    ] = None
    token_key: Annotated[str, doc("Key within that Secret.", "token")] = "token"
    cache: Annotated[
        str | None,
        doc("PersistentVolumeClaim that keeps downloads, so that not each replica fetches them."),
    ] = None


class ModelSource(Model):
    """Where the weights come from: exactly one of `pvc`, `image`, `hub`."""

    pvc: Annotated[str | None, doc("PersistentVolumeClaim that holds the weights.", "weights")] = (
        None
    )
    image: Annotated[
        str | None,
        doc("OCI image or artifact that holds the weights.", "ghcr.io/example/weights:1"),
    ] = None
    hub: Annotated[Hub | None, doc("Downloaded at start.", {"tokenSecret": "hf"})] = None
    path: Annotated[
        str | None, doc("Folder of the weights within the volume.", "llama-70b", pattern="^[^/]")
    ] = None


class ModelRef(Model):
    """A model: its identity, its size, and where its weights come from."""

    id: Annotated[
        str, doc("Identity of the model, as its hub or registry names it.", "org/model-70b")
    ]
    revision: Annotated[
        str | None,
        doc("Exact revision: a commit or a version. Kept as provenance.", "5f0b02c75b57"),
    ] = None
    size: Annotated[
        Quantity | None,
        doc(
            "Bytes of the weights as stored. Start-up budget, host memory and the check against "
            "GPU memory follow from it.",
            "140Gi",
        ),
    ] = None
    source: Annotated[
        ModelSource, doc("Where the weights come from. Unset: the runtime's hub.")
    ] = ModelSource(hub=Hub())
