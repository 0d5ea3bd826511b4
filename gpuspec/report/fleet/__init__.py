"""`gpuspec fleet report`: the current state of a fleet, as text, JSON, Markdown, HTML or SVG."""

from gpuspec.report.fleet.as_json import fleet_json
from gpuspec.report.fleet.html import fleet_html
from gpuspec.report.fleet.markdown import fleet_markdown
from gpuspec.report.fleet.svg import fleet_svg
from gpuspec.report.fleet.text import fleet_text

__all__ = ["fleet_html", "fleet_json", "fleet_markdown", "fleet_svg", "fleet_text"]
