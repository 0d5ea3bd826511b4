"""Layout with Jinja2, and helpful messages for its errors."""

from __future__ import annotations

from jinja2 import TemplateError
from jinja2.exceptions import TemplateNotFound, TemplateSyntaxError

from gpuspec.manifests import InputError, Place, Problem
from gpuspec.render.sandbox import TooMuchError, counted, environment
from gpuspec.render.view import ENDING, View

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


class TemplateSet:
    """A set of templates by name, ready for layout."""

    def __init__(self, files: dict[str, str], texts: dict[str, bytes], *, ours: bool) -> None:
        """Set up the environment. `ours`: no template is the user's, so a fault is ours."""
        self._environment = environment(files, texts)
        self._ours = ours

    def text(self, name: str, plan: View) -> str:
        """Return the text of one object. Raises `InputError` for an invalid template."""
        try:
            with counted():
                return self._environment.get_template(name).render(plan=plan)
        except TemplateSyntaxError as error:
            # Its lexer gives the file as the name.
            raise InputError(
                [_problem(error, error.filename or error.name, error.lineno)]
            ) from None
        except (TemplateError, *_FAULTS) as error:
            if self._ours:
                raise
            raise InputError([_problem(error, *_where(error))]) from None


def _problem(error: Exception, file: str | None, line: int | None) -> Problem:
    message = error.message if isinstance(error, TemplateError) else str(error)
    if isinstance(error, TemplateNotFound):
        message = f"there is no template {message}"
    elif isinstance(error, RecursionError):
        message = "it includes itself in a loop"
    place = Place(file, line or 1, 1) if file else None
    hint = error.hint if isinstance(error, TooMuchError) else _HINT
    return Problem(f"template: {message}", place, hint)


def _where(error: BaseException) -> tuple[str | None, int | None]:
    """Return the template and line of an error: the innermost frame in a template."""
    innermost: tuple[str | None, int | None] = (None, None)
    step = error.__traceback__
    while step is not None:
        name = step.tb_frame.f_code.co_filename
        if name.endswith(ENDING):
            innermost = (name, step.tb_lineno)
        step = step.tb_next
    return innermost
