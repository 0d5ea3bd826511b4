"""How a server goes away: withdrawn first, then told to stop, then given time to finish."""

from gpuspec import runtimes
from gpuspec.plan.case import Case
from gpuspec.plan.leaf import Leaf, derived
from gpuspec.plan.server import drains
from gpuspec.spec import InferenceSpec

# Seconds for the process itself to exit once its last request is answered.
EXIT = 15


def drain(case: Case, spec: InferenceSpec) -> tuple[Leaf, Leaf]:
    """The preStop pause and the grace period: together they outlast the longest request.

    A pod that goes away is still sent requests until its endpoints are withdrawn everywhere, so
    the server is told to stop only after that. A server that finishes its requests then needs as
    long as the longest; for one that does not, the pause itself must be that long.
    """
    withdrawal, longest = runtimes.common().withdrawal.seconds, spec.longest_request.seconds
    finishes = drains(case, spec)
    wait = withdrawal if finishes else withdrawal + longest
    why = f"requests still arrive for {withdrawal}s after the pod is asked to go"
    if not finishes:
        why += f", and {case.runtime.title} may drop the running ones, of up to {longest}s"
    pause = derived("drain", {"preStop": {"sleep": {"seconds": wait}}}, why)
    total = withdrawal + longest + EXIT
    return pause, derived(
        "drain",
        total,
        f"{withdrawal}s withdrawal + {longest}s longest request + {EXIT}s to exit",
    )
