"""How long gateways let a request to a server take."""

from gpuspec.runtimes.gateways.load import limit_of, limits
from gpuspec.runtimes.gateways.model import Limit, Limits, Route

__all__ = ["Limit", "Limits", "Route", "limit_of", "limits"]
