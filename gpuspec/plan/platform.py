"""A serving runtime of the platform that starts the server: the division of settings between it and
the workload.

Image, resources, placement and security are the workload's. The command, the model's path and the
server's address are the runtime's.
"""

from gpuspec.plan.resolution import Resolution
from gpuspec.plan.target import Target
from gpuspec.spec import InferenceSpec
from gpuspec.spec.runtimes import ServingRuntime


def starter(resolution: Resolution, target: Target) -> ServingRuntime | None:
    """Return the profile's runtime that starts the workload's server; None if the pod starts it."""
    spec = resolution.spec
    if not target.kept or not isinstance(spec, InferenceSpec):
        return None
    return resolution.profile.spec.runtimes.serving.get(spec.runtime)
