"""How long gateways let a request to a server take."""

from gpuspec.runtimes.gateways.load import limits
from gpuspec.runtimes.gateways.model import Limit, Limits, Route

__all__ = ["Limit", "Limits", "Route", "limits"]
