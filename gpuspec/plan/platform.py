"""A runtime of the platform's that starts the server: what it is told, and what it has of its own.

Image, resources, place and security are the workload's; the command, where the model lies and where the server
listens are the runtime's.
"""

from gpuspec.plan.resolution import Resolution
from gpuspec.plan.target import Target
from gpuspec.spec import InferenceSpec
from gpuspec.spec.runtimes import ServingRuntime


def starter(resolution: Resolution, target: Target) -> ServingRuntime | None:
    """Return the runtime of the profile's that starts the workload's server; None where the pod
    does."""
    spec = resolution.spec
    if not target.kept or not isinstance(spec, InferenceSpec):
        return None
    return resolution.profile.spec.runtimes.serving.get(spec.runtime)
