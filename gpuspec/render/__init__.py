"""From a plan to objects: the Jinja2 environment, the targets, overrides, output."""

from gpuspec.render.check import InternalError
from gpuspec.render.compile import compile_case
from gpuspec.render.files import check_identities, object_files
from gpuspec.render.layout import Rendered
from gpuspec.render.rendering import Rendering
from gpuspec.render.templates import Templates, shipped_templates

__all__ = [
    "InternalError",
    "Output",
    "Rendered",
    "Rendering",
    "Templates",
    "Written",
    "check_identities",
    "compile_case",
    "object_files",
    "shipped_templates",
    "write_folder",
    "write_folders",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gpuspec.render.folder import Output, Written, write_folder, write_folders


def __getattr__(name: str) -> object:
    """Folders are imported by whoever writes one: most renderings go to stdout."""
    if name in ("Output", "Written", "write_folder", "write_folders"):
        from gpuspec.render import folder

        return getattr(folder, name)
    raise AttributeError(name)
