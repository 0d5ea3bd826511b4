"""`gpuspec fleet report`: a fleet as it is, as text, JSON, Markdown, HTML or SVG."""

from __future__ import annotations

__all__ = ["fleet_html", "fleet_json", "fleet_markdown", "fleet_svg", "fleet_text"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gpuspec.report.fleet.as_json import fleet_json
    from gpuspec.report.fleet.html import fleet_html
    from gpuspec.report.fleet.markdown import fleet_markdown
    from gpuspec.report.fleet.svg import fleet_svg
    from gpuspec.report.fleet.text import fleet_text

_HOMES = {
    "fleet_html": "html",
    "fleet_json": "as_json",
    "fleet_markdown": "markdown",
    "fleet_svg": "svg",
    "fleet_text": "text",
}


def __getattr__(name: str) -> object:
    """A run has one format: the others are not imported."""
    if name not in _HOMES:
        raise AttributeError(name)
    from importlib import import_module

    return getattr(import_module(f"gpuspec.report.fleet.{_HOMES[name]}"), name)
