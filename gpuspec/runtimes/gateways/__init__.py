"""How long gateways let a request to a server take, and what they count of it."""

from gpuspec.runtimes.gateways.load import limit_of, limits, series
from gpuspec.runtimes.gateways.model import Limit, Limits, Route, Series

__all__ = ["Limit", "Limits", "Route", "Series", "limit_of", "limits", "series"]
