"""Where data comes from, and where results go."""

from gpuspec.manifests import Quantity
from gpuspec.spec.forms import AbsolutePath, DataKey, InnerPath, NonEmpty, ObjectName
from gpuspec.spec.types import Annotated, Model, doc


class HubData(Model, kw_only=True):
    """A dataset of Hugging Face, downloaded by the program itself into the cache of its libraries."""

    id: Annotated[NonEmpty, doc("Its identity, as the hub names it.", "org/tickets")]
    revision: Annotated[
        NonEmpty | None,
        doc("Exact revision, kept as provenance: the program is told it by you.", "5f0b02c75b57"),
    ] = None
    size: Annotated[
        Quantity | None,
        doc(
            "Bytes of its files: room for them on the node's disk, unless `caches` keeps them.",
            "20Gi",
        ),
    ] = None
    token_secret: Annotated[
        ObjectName | None,
        doc("Name of the Secret with the access token, for gated datasets.", "hf"),
    ] = None
    token_key: Annotated[DataKey, doc("Key within that Secret.", "token")] = "token"


class Artifact(Model):
    """Where files lie: exactly one of `pvc` and `image`, mounted read-only, or `hub`."""

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
            "A dataset of Hugging Face, which the program downloads as it starts; nothing is mounted.",
            {"id": "org/tickets", "size": "20Gi"},
        ),
    ] = None
    path: Annotated[InnerPath | None, doc("Mount only this folder of the volume.", "imagenet")] = (
        None
    )
    version: Annotated[
        NonEmpty | None, doc("Version of the content, kept as provenance.", "2026-05")
    ] = None
    mount: Annotated[AbsolutePath | None, doc("Where it is mounted. Unset: /data.", "/data")] = None

    @property
    def whole(self) -> str:
        """Where it is, and which version, as provenance has it."""
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
    mount: Annotated[AbsolutePath, doc("Where it is mounted.", "/output")] = "/output"

    @property
    def whole(self) -> str:
        """Where it is, as provenance has it."""
        return "/".join(filter(None, (self.pvc, self.path)))
