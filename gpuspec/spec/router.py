"""The router of a disaggregated server, to which clients send requests."""

from msgspec import Meta

from gpuspec.spec.containers import Arguments
from gpuspec.spec.envelope import HelperResources
from gpuspec.spec.forms import NonEmpty
from gpuspec.spec.types import Annotated, Model, doc

MOST_ROUTERS = 100


class Router(Model):
    """The program that accepts requests, and has each processed by a prefill pod and then by a
    decode pod."""

    image: Annotated[
        NonEmpty | None,
        doc(
            "Image, preferably with its digest. Default: that of the runtime's router, by its tag.",
            "vllm/vllm-router:v0.1.15",
        ),
    ] = None
    replicas: Annotated[
        int,
        Meta(ge=1, le=MOST_ROUTERS),
        doc("Number of pods, without GPUs. Each answers on its own.", 3),
    ] = 2
    args: Arguments = ()
    resources: Annotated[
        HelperResources | None,
        doc(
            "Host resources of one pod. Default: 1 CPU, and 2Gi of memory.",
            {"cpu": 2, "memory": "4Gi"},
        ),
    ] = None
