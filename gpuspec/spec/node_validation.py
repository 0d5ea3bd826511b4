"""The validation of nodes before they get work."""

from gpuspec.spec.forms import LabelName, NonEmpty
from gpuspec.spec.types import Annotated, Model, doc


class Validation(Model, kw_only=True):
    """Jobs that test the nodes of each pool, for `cluster render --validation`."""

    image: Annotated[
        NonEmpty,
        doc(
            "Image of the Jobs. It needs `sh`, and `all_reduce_perf` of nccl-tests for "
            "whole GPUs. For pools with a fabric it also needs `mpirun` and `sshd` if the "
            "MPI Operator is installed, otherwise Python with PyTorch.",
            "ghcr.io/example/nccl-tests:2.17.6",
        ),
    ]
    namespace: Annotated[LabelName, doc("Namespace of the Jobs.", "gpu-validation")] = (
        "gpu-validation"
    )
    sample: Annotated[
        tuple[NonEmpty, ...],
        doc(
            "A small CUDA program in the image that every pod also runs, and its "
            "arguments. Empty: none.",
            ["/cuda-samples/vectorAdd"],
        ),
    ] = ()
