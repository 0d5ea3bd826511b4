"""`gpuspec fit`: the placement of workloads on a fleet, as text, JSON, Markdown, HTML or SVG."""

from gpuspec.report.fit.as_json import fit_json
from gpuspec.report.fit.html import fit_html
from gpuspec.report.fit.markdown import fit_markdown
from gpuspec.report.fit.several import clusters_text, fits_markdown, fits_text
from gpuspec.report.fit.svg import fit_svg
from gpuspec.report.fit.text import fit_text

__all__ = [
    "clusters_text",
    "fit_html",
    "fit_json",
    "fit_markdown",
    "fit_svg",
    "fit_text",
    "fits_markdown",
    "fits_text",
]
