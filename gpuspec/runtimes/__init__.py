"""What model servers are: ports, paths that prove something, arguments, metrics, caches, users."""

from gpuspec.runtimes.fact import Confidence, Fact, Setting, Variable, flag
from gpuspec.runtimes.host import (
    Cache,
    GpuMemory,
    HostMemory,
    SharedMemory,
    Startup,
    User,
    Withdrawal,
)
from gpuspec.runtimes.load import common, get, names
from gpuspec.runtimes.model import Common, Runtime
from gpuspec.runtimes.recognise import at_least, recognise, started, started_otherwise, version
from gpuspec.runtimes.serving import (
    Collision,
    Launch,
    Metrics,
    Port,
    Probe,
    Probes,
    PromptLogging,
    Settings,
    Shutdown,
    Slow,
    Weights,
)

__all__ = [
    "Cache",
    "Collision",
    "Common",
    "Confidence",
    "Fact",
    "GpuMemory",
    "HostMemory",
    "Launch",
    "Metrics",
    "Port",
    "Probe",
    "Probes",
    "PromptLogging",
    "Runtime",
    "Setting",
    "Settings",
    "SharedMemory",
    "Shutdown",
    "Slow",
    "Startup",
    "User",
    "Variable",
    "Weights",
    "Withdrawal",
    "at_least",
    "common",
    "flag",
    "get",
    "names",
    "recognise",
    "started",
    "started_otherwise",
    "version",
]
