"""The templates in force: ours, shadowed file by file by a user's folder, laid out in a sandbox."""

import hashlib
from functools import cache
from pathlib import Path as FilePath

from jinja2 import TemplateError
from jinja2.exceptions import TemplateNotFound, TemplateSyntaxError

from gpuspec.locate import shipped
from gpuspec.manifests import InputError, Place, Problem
from gpuspec.render.sandbox import environment
from gpuspec.render.view import View

ENDING = ".j2"
_HINT = "the plan that templates see is described in the documentation, and may change"
# What a template can do wrong besides what Jinja2 has its own errors for.
_FAULTS = (
    ArithmeticError,
    AttributeError,
    LookupError,
    OSError,
    RecursionError,
    TypeError,
    ValueError,
)


class Templates:
    """A set of templates: how they are laid out, and their digest."""

    def __init__(self, shadow: FilePath | None = None) -> None:
        """Templates of the package, with those of the folder `shadow` in their place.

        Raises `InputError` when `shadow` is no folder, cannot be read, holds no template, or holds
        one that we do not have.
        """
        ours = shipped("templates")
        self.shadow = shadow
        try:
            self._own = {} if shadow is None else _shadowing(shadow, ours)
            self._files = _files(ours) | self._own
            self.digest = _digest(self._files)
        except OSError as error:
            raise InputError(
                [Problem(f"--templates: {error.filename}: {error.strerror}")]
            ) from None
        self._environment = environment(self._files)

    def lay_out(self, name: str, plan: View) -> str:
        """The text of one object, with tokens where the plan's values belong.

        Raises `InputError` when a template is wrong: it names the file and the line.
        """
        try:
            return self._environment.get_template(name).render(plan=plan)
        except TemplateSyntaxError as error:
            raise InputError([_problem(error, error.filename, error.lineno)]) from None
        except (TemplateError, *_FAULTS) as error:
            if self.shadow is None:
                raise
            raise InputError([_problem(error, *_where(error))]) from None

    def place(self, name: str) -> Place:
        """The file to look into for what is wrong with the object of a template.

        That of the template itself, unless ours is laid out with the one file that the user has.
        """
        shadowing = list(self._own.values())
        other = name not in self._own and len(shadowing) == 1
        return Place(str(shadowing[0] if other else self._files[name]), 1, 1)


def _problem(error: Exception, file: str | None, line: int | None) -> Problem:
    message = error.message if isinstance(error, TemplateError) else str(error)
    if isinstance(error, TemplateNotFound):
        message = f"there is no template {message}"
    elif isinstance(error, RecursionError):
        message = "it includes itself without end"
    place = Place(file, line or 1, 1) if file else None
    return Problem(f"template: {message}", place, _HINT)


def _where(error: BaseException) -> tuple[str | None, int | None]:
    """The template and line that an error came from: the innermost frame in a template."""
    found: tuple[str | None, int | None] = (None, None)
    step = error.__traceback__
    while step is not None:
        name = step.tb_frame.f_code.co_filename
        if name.endswith(ENDING):
            found = (name, step.tb_lineno)
        step = step.tb_next
    return found


def _files(folder: FilePath) -> dict[str, FilePath]:
    """Templates by name. Hidden folders are passed over: a mounted ConfigMap is full of them."""
    found = {path.relative_to(folder): path for path in folder.rglob(f"*{ENDING}")}
    return {
        name.as_posix(): path
        for name, path in sorted(found.items())
        if not any(part.startswith(".") for part in name.parts)
    }


def _shadowing(shadow: FilePath, ours: FilePath) -> dict[str, FilePath]:
    if not shadow.is_dir():
        raise InputError([Problem(f"--templates: {shadow} is not a folder")])
    found, known = _files(shadow), _files(ours)
    hint = f"ours: {', '.join(known)}"
    if not found:
        raise InputError([Problem(f"--templates: {shadow} holds no template", None, hint)])
    strange = [
        Problem(f"--templates: {name} shadows none of ours", Place(str(path), 1, 1), hint)
        for name, path in found.items()
        if name not in known
    ]
    if strange:
        raise InputError(strange)
    return found


def _digest(files: dict[str, FilePath]) -> str:
    """Digest of every template that is in force."""
    whole = hashlib.sha256()
    for name, path in sorted(files.items()):
        content = path.read_bytes()
        whole.update(f"{name} {len(content)}\n".encode())
        whole.update(content)
    return "sha256:" + whole.hexdigest()


@cache
def shipped_templates() -> Templates:
    """The package's own templates."""
    return Templates()
