"""`gpuspec fit`: what becomes of workloads on a fleet, as text, JSON, Markdown, HTML or SVG."""

from __future__ import annotations

__all__ = ["fit_html", "fit_json", "fit_markdown", "fit_svg", "fit_text"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gpuspec.report.fit.as_json import fit_json
    from gpuspec.report.fit.html import fit_html
    from gpuspec.report.fit.markdown import fit_markdown
    from gpuspec.report.fit.svg import fit_svg
    from gpuspec.report.fit.text import fit_text

_HOMES = {
    "fit_html": "html",
    "fit_json": "as_json",
    "fit_markdown": "markdown",
    "fit_svg": "svg",
    "fit_text": "text",
}


def __getattr__(name: str) -> object:
    """A run has one format: the others are not imported."""
    if name not in _HOMES:
        raise AttributeError(name)
    from importlib import import_module

    return getattr(import_module(f"gpuspec.report.fit.{_HOMES[name]}"), name)
