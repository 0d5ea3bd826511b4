"""Timeouts of gateways in front of a server, and series that gateways emit."""

from gpuspec.runtimes.gateways.load import limit_of, limits, series
from gpuspec.runtimes.gateways.model import RouteKind, Series, TimeoutLimit, TimeoutLimits

__all__ = ["RouteKind", "Series", "TimeoutLimit", "TimeoutLimits", "limit_of", "limits", "series"]
