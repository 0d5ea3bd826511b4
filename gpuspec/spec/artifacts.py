"""The sources of data and the destinations of results."""

from gpuspec.manifests import Quantity
from gpuspec.spec.forms import AbsolutePath, DataKey, InnerPath, NonEmpty, ObjectName
from gpuspec.spec.types import Annotated, Model, doc


class HubData(Model, kw_only=True):
    """A dataset of Hugging Face, downloaded by the program itself into the cache of its libraries."""

    id: Annotated[NonEmpty, doc("The dataset's name on its hub.", "org/tickets")]
    revision: Annotated[
        NonEmpty | None,
        doc(
            "Exact revision, recorded as provenance: pass it to the program yourself.",
            "5f0b02c75b57",
        ),
    ] = None
    size: Annotated[
        Quantity | None,
        doc(
            "Size of the files in bytes: reserved on the node's disk, unless `caches` keeps them.",
            "20Gi",
        ),
    ] = None
    token_secret: Annotated[
        ObjectName | None,
        doc("Name of the Secret with the access token, for gated datasets.", "hf"),
    ] = None
    token_key: Annotated[DataKey, doc("Key within that Secret.", "token")] = "token"


class Artifact(Model):
    """The source of files: exactly one of `pvc` and `image`, mounted read-only, or `hub`."""

    pvc: Annotated[
        ObjectName | None, doc("Name of an existing PersistentVolumeClaim.", "datasets")
    ] = None
    image: Annotated[
        NonEmpty | None,
        doc(
            "An OCI image or artifact, mounted as a volume; needs Kubernetes 1.36.",
            "ghcr.io/example/data:1",
        ),
    ] = None
    hub: Annotated[
        HubData | None,
        doc(
            "A Hugging Face dataset, which the program downloads at startup; nothing is mounted.",
            {"id": "org/tickets", "size": "20Gi"},
        ),
    ] = None
    path: Annotated[InnerPath | None, doc("Mount only this folder of the volume.", "imagenet")] = (
        None
    )
    version: Annotated[
        NonEmpty | None, doc("Version of the content, recorded as provenance.", "2026-05")
    ] = None
    mount: Annotated[AbsolutePath | None, doc("Mount path. Default: /data.", "/data")] = None

    @property
    def whole(self) -> str:
        """Its location and version, for the provenance annotations."""
        if self.hub is not None:
            where, version = self.hub.id, self.hub.revision
        else:
            where, version = (
                "/".join(filter(None, (self.pvc or self.image, self.path))),
                self.version,
            )
        return f"{where}@{version}" if version else where


class Output(Model):
    """Where results are written."""

    pvc: Annotated[ObjectName, doc("Name of an existing PersistentVolumeClaim.", "results")]
    path: Annotated[InnerPath | None, doc("Mount only this folder of the volume.", "2026-06")] = (
        None
    )
    mount: Annotated[AbsolutePath, doc("Mount path.", "/output")] = "/output"

    @property
    def whole(self) -> str:
        """Its location, for the provenance annotations."""
        return "/".join(filter(None, (self.pvc, self.path)))
