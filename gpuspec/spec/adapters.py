"""The additional files of a model server: LoRA adapters and a chat template."""

from gpuspec.spec.forms import (
    AbsolutePath,
    AdapterName,
    DataKey,
    InnerPath,
    NonEmpty,
    ObjectName,
    Positive,
)
from gpuspec.spec.types import Annotated, Model, doc


class AdapterSource(Model):
    """Where an adapter's files come from: exactly one of `pvc`, `image`, `hub`."""

    pvc: Annotated[
        ObjectName | None,
        doc("PersistentVolumeClaim that contains the adapter, mounted read-only.", "adapters"),
    ] = None
    image: Annotated[
        NonEmpty | None,
        doc(
            "OCI image or artifact that contains the adapter; needs Kubernetes 1.36.",
            "ghcr.io/example/sql-lora:1",
        ),
    ] = None
    hub: Annotated[
        NonEmpty | None,
        doc(
            "The adapter's name on the hub, from which the server downloads it at startup "
            "with the model's token. Only if the model comes from the hub too.",
            "org/sql-lora",
        ),
    ] = None
    path: Annotated[
        InnerPath | None,
        doc("The adapter's folder within the claim or image. Default: the root.", "sql"),
    ] = None


class Adapter(Model):
    """A LoRA adapter that is served beside the model."""

    name: Annotated[AdapterName, doc("Name by which clients request the adapter.", "sql")]
    source: Annotated[
        AdapterSource, doc("Source of the adapter's files.", {"pvc": "adapters", "path": "sql"})
    ]
    rank: Annotated[
        Positive | None,
        doc(
            "The adapter's rank: `r` in its adapter_config.json. Servers that reserve "
            "memory for adapters get the largest. Default: the server's own, above which "
            "it rejects an adapter at startup.",
            64,
        ),
    ] = None


class ChatTemplate(Model):
    """The file with which the server turns a chat into a prompt: exactly one of `configMap`,
    `path`."""

    config_map: Annotated[
        ObjectName | None, doc("Name of the ConfigMap that contains the template.", "chat")
    ] = None
    key: Annotated[
        DataKey | None,
        doc("Key within that ConfigMap. Default: chat_template.jinja.", "llama.jinja"),
    ] = None
    path: Annotated[
        AbsolutePath | None,
        doc("The template file, in the image or on a volume.", "/models/chat_template.jinja"),
    ] = None
