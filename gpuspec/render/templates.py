"""The Jinja2 environment: our templates, shadowed file by file by a user's folder, in a sandbox."""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path as FilePath
from typing import Any

from jinja2 import FileSystemLoader, StrictUndefined, TemplateError, Undefined, pass_context
from jinja2.exceptions import TemplateNotFound, TemplateSyntaxError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from gpuspec.locate import shipped
from gpuspec.manifests import InputError, Place, Problem
from gpuspec.render.encode import View

# What works on tokens. A filter that changes text would change a token, not the value behind it.
FILTERS = ("default", "indent")


class Templates:
    """A set of templates: how they are laid out, and their digest."""

    def __init__(self, shadow: FilePath | None = None) -> None:
        """Templates of the package, with those of the folder `shadow` in their place.

        Raises `InputError` when `shadow` is no folder or names a template that we do not have.
        """
        ours = shipped("templates")
        self._shadow = shadow
        folders = [ours] if shadow is None else [_checked(shadow, ours), ours]
        self.digest = _digest(folders)
        self._environment = _environment(folders)

    def lay_out(self, name: str, plan: View) -> str:
        """The text of one object, with tokens where the plan's values belong.

        Raises `InputError` when a template is wrong: it names the file and the line.
        """
        try:
            return self._environment.get_template(name).render(plan=plan)
        except TemplateSyntaxError as error:
            raise InputError([self._problem(error, error.filename, error.lineno)]) from None
        except (TemplateError, ValueError, TypeError, AttributeError) as error:
            if self._shadow is None and not isinstance(error, TemplateError):
                raise
            file, line = _where(error)
            raise InputError([self._problem(error, file, line)]) from None

    def _problem(self, error: Exception, file: str | None, line: int | None) -> Problem:
        message = error.message if isinstance(error, TemplateError) else str(error)
        if isinstance(error, TemplateNotFound):
            message = f"there is no template {message}"
        place = Place(file, line or 1, 1) if file else None
        hint = "the plan that templates see is described in the documentation, and may change"
        return Problem(f"template: {message}", place, hint)


def _environment(folders: list[FilePath]) -> ImmutableSandboxedEnvironment:
    made = ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(folders),
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    known: dict[str, Callable[..., Any]] = made.filters
    made.filters = {name: known[name] for name in FILTERS}
    made.globals = {}
    return made


@pass_context
def _finalize(_: Context, value: object) -> object:
    """What an expression of a template writes: the token of a part of the plan, or a constant.

    The context is taken so that nothing is computed when templates are compiled.
    """
    if isinstance(value, View):
        return str(value)
    if isinstance(value, Undefined):
        return str(value)
    if isinstance(value, str | int):
        return value
    raise TypeError(f"a template writes parts of the plan and words, not {type(value).__name__}")


def _where(error: BaseException) -> tuple[str | None, int | None]:
    """The template and line that an error came from: the innermost frame in a template."""
    found: tuple[str | None, int | None] = (None, None)
    step = error.__traceback__
    while step is not None:
        name = step.tb_frame.f_code.co_filename
        if name.endswith(".j2"):
            found = (name, step.tb_lineno)
        step = step.tb_next
    return found


def _checked(shadow: FilePath, ours: FilePath) -> FilePath:
    if not shadow.is_dir():
        raise InputError([Problem(f"--templates: {shadow} is not a folder")])
    known = {str(path.relative_to(ours)) for path in ours.rglob("*.j2")}
    strange = sorted(
        str(path.relative_to(shadow))
        for path in shadow.rglob("*.j2")
        if str(path.relative_to(shadow)) not in known
    )
    if strange:
        names = ", ".join(sorted(known))
        raise InputError(
            Problem(
                f"--templates: {name} shadows none of ours",
                Place(str(shadow / name), 1, 1),
                f"ours: {names}",
            )
            for name in strange
        )
    return shadow


def _digest(folders: list[FilePath]) -> str:
    """Digest of every template that is in force."""
    files: dict[str, FilePath] = {}
    for folder in reversed(folders):
        files |= {str(path.relative_to(folder)): path for path in folder.rglob("*.j2")}
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
