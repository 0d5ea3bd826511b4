"""From a plan to objects: the Jinja2 environment, the targets, overrides, output."""

from gpuspec.render.check import InternalError
from gpuspec.render.compile import compile_case
from gpuspec.render.files import check_identities, object_files
from gpuspec.render.layout import RenderedObject
from gpuspec.render.rendering import Rendering
from gpuspec.render.templates import Templates, shipped_templates

__all__ = [
    "InternalError",
    "RenderedObject",
    "Rendering",
    "Templates",
    "check_identities",
    "compile_case",
    "object_files",
    "shipped_templates",
]
