"""What model servers are: ports, paths that prove something, arguments, metrics, caches, users."""

from gpuspec.runtimes.fact import Confidence, Fact, Setting, Variable
from gpuspec.runtimes.host import Cache, HostMemory, SharedMemory, Startup, User, Withdrawal
from gpuspec.runtimes.load import common, get, names
from gpuspec.runtimes.model import Common, Runtime
from gpuspec.runtimes.recognise import at_least, recognise, version
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
    Weights,
)

__all__ = [
    "Cache",
    "Collision",
    "Common",
    "Confidence",
    "Fact",
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
    "Startup",
    "User",
    "Variable",
    "Weights",
    "Withdrawal",
    "at_least",
    "common",
    "get",
    "names",
    "recognise",
    "version",
]
