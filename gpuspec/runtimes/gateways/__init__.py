"""How long gateways let a request to a server take, and what they count of it."""

from gpuspec.runtimes.gateways.load import limit_of, limits, series
from gpuspec.runtimes.gateways.model import RouteKind, Series, TimeoutLimit, TimeoutLimits

__all__ = ["RouteKind", "Series", "TimeoutLimit", "TimeoutLimits", "limit_of", "limits", "series"]
