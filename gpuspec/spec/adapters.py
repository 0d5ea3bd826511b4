"""What a model server is given beside its model: adapters, and a template for chats."""

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
        doc("PersistentVolumeClaim that holds it, mounted read-only.", "adapters"),
    ] = None
    image: Annotated[
        NonEmpty | None,
        doc(
            "OCI image or artifact that holds it; needs Kubernetes 1.36.",
            "ghcr.io/example/sql-lora:1",
        ),
    ] = None
    hub: Annotated[
        NonEmpty | None,
        doc(
            "Its name in the hub, from where the server downloads it at start, with the model's "
            "token. Only where the model comes from there too.",
            "org/sql-lora",
        ),
    ] = None
    path: Annotated[
        InnerPath | None,
        doc("Its folder within the claim or image. Unset: the root.", "sql"),
    ] = None


class Adapter(Model):
    """A LoRA adapter that is served beside the model."""

    name: Annotated[AdapterName, doc("Clients ask for it by this name.", "sql")]
    source: Annotated[
        AdapterSource, doc("Where its files come from.", {"pvc": "adapters", "path": "sql"})
    ]
    rank: Annotated[
        Positive | None,
        doc(
            "Its rank: `r` in its adapter_config.json. Servers that set room aside are told the "
            "largest. Unset: theirs, above which an adapter is refused at start.",
            64,
        ),
    ] = None


class ChatTemplate(Model):
    """The file by which the server makes a prompt of a chat: exactly one of `configMap`, `path`."""

    config_map: Annotated[
        ObjectName | None, doc("Name of the ConfigMap that holds it.", "chat")
    ] = None
    key: Annotated[
        DataKey | None,
        doc("Key within that ConfigMap. Unset: chat_template.jinja.", "llama.jinja"),
    ] = None
    path: Annotated[
        AbsolutePath | None,
        doc("The file, in the image or on a volume.", "/models/chat_template.jinja"),
    ] = None
