"""The Jinja2 environment of templates: a sandbox that contains only the plan."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path as FilePath
from typing import Any

from jinja2 import FileSystemBytecodeCache, FunctionLoader, StrictUndefined, Undefined, pass_context
from jinja2.bccache import Bucket
from jinja2.exceptions import SecurityError, TemplateSyntaxError
from jinja2.filters import do_indent
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from gpuspec.locate import shipped
from gpuspec.manifests.limits import MAX_TEMPLATE_STEPS, MAX_TEMPLATE_TEXT, mib
from gpuspec.render.bounds import Generator
from gpuspec.render.view import View, missing
from gpuspec.version import __version__

# What works on tokens. A filter that changes text would change a token, not the value behind it.
FILTERS = ("default", "indent")
# What asks for no more than what something is.
TESTS = ("defined", "none", "number", "string", "undefined")
_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_BITS = 64


class TooMuchError(SecurityError):
    """A template that exceeds the limits on work or output."""

    hint = "look for nested loops, and for a string that is appended to itself"


class _Spent:
    """The work and output of one object's templates."""

    __slots__ = ("steps", "text")

    def __init__(self) -> None:
        self.steps = self.text = 0


_SPENT: ContextVar[_Spent] = ContextVar("spent")


@contextmanager
def counted() -> Iterator[None]:
    """Count the work and output from now on as one object's."""
    before = _SPENT.set(_Spent())
    try:
        yield
    finally:
        _SPENT.reset(before)


def _spend(steps: int) -> None:
    spent = _SPENT.get()
    spent.steps += steps
    if spent.steps > MAX_TEMPLATE_STEPS:
        raise TooMuchError(f"more than {MAX_TEMPLATE_STEPS:,} steps, the limit for one object")


def _take(characters: int) -> None:
    """Count characters that are about to be written."""
    spent = _SPENT.get()
    spent.text += characters
    if spent.text > MAX_TEMPLATE_TEXT:
        message = f"more than {mib(MAX_TEMPLATE_TEXT)} of text, the limit for one object"
        raise TooMuchError(message)


class _Undefined(StrictUndefined):
    """A missing part of the plan: using it raises an error that names the existing parts."""

    __slots__ = ()

    @property
    def _undefined_message(self) -> str:
        if isinstance(self._undefined_obj, View):
            return missing(self._undefined_obj, str(self._undefined_name))
        if self._undefined_hint is None and isinstance(self._undefined_name, str):
            return f"`{self._undefined_name}` is not defined; templates see `plan`"
        return str(super()._undefined_message)


class _Sandbox(ImmutableSandboxedEnvironment):
    """A sandbox without computation: `'x' * 10**9` must not fill the memory."""

    intercepted_binops = frozenset(("+", "-", "*", "/", "//", "%", "**"))
    code_generator_class = Generator

    def compile(self, source: Any, name: Any = None, filename: Any = None, *rest: Any) -> Any:
        """Compile a template. Raises `TemplateSyntaxError` for any error in it."""
        try:
            return super().compile(source, name, filename, *rest)
        except (RecursionError, MemoryError, SyntaxError):
            # Of Jinja2's parser, or of Python's, which has the result of the first.
            message = "loops, conditions or brackets are nested too deeply"
        except ValueError as error:  # a number with more digits than Python takes
            message = str(error)
        raise TemplateSyntaxError(message, 1, name, filename)

    def getattr(self, obj: Any, attribute: str) -> Any:
        # A view guards itself; the sandbox's own checks take a third of the time of laying out.
        if isinstance(obj, View) and not attribute.startswith("_"):
            try:
                return getattr(obj, attribute)
            except AttributeError:
                return self.undefined(obj=obj, name=attribute)
        return super().getattr(obj, attribute)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Compute a sum of small numbers, such as a loop's index plus one."""
        if operator in ("*", "**", "%") or isinstance(left, str | list | tuple):
            message = f"templates cannot compute: `{operator}` is not allowed"
            raise SecurityError(message)
        result = super().call_binop(context, operator, left, right)
        if isinstance(result, int) and result.bit_length() > _BITS:
            raise SecurityError(f"templates cannot compute: a number has more than {_BITS} bits")
        return result

    def call(self, _: Context, method: Any, *arguments: Any, **_loop: Any) -> Any:
        """Call the methods that `bounds` inserts; templates cannot call anything themselves."""
        return method(*arguments)

    def spend(self, steps: int) -> bool:
        """Count steps, and return true."""
        _spend(steps)
        return True

    def joined(self, *parts: Any) -> str:
        """Return joined text, counted like output."""
        texts = [str(_plain(part)) for part in parts]
        _take(sum(map(len, texts)))
        return "".join(texts)

    def weighed(self, value: Any) -> Any:
        """Return a value that is about to be compared, and count its size."""
        waiting = [value]
        while waiting:
            part = waiting.pop()
            if isinstance(part, str):
                _take(len(part))
            elif isinstance(part, list | tuple):
                _spend(len(part))
                waiting += part
        return value


class _Bytecode(FileSystemBytecodeCache):
    """A cache of compiled templates beside the shipped ones, as Python caches bytecode. Failures
    are ignored.

    Compilation takes most of the time of a first rendering. An entry is used only for the exact
    text from which it was compiled.
    """

    def load_bytecode(self, bucket: Bucket) -> None:
        try:
            super().load_bytecode(bucket)
        except (OSError, EOFError, ValueError, TypeError):
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        if sys.dont_write_bytecode:
            return
        try:
            folder = FilePath(self.directory)
            folder.mkdir(exist_ok=True)
            super().dump_bytecode(bucket)
        except OSError:
            return


def environment(files: dict[str, str], texts: dict[str, bytes]) -> ImmutableSandboxedEnvironment:
    """Return an environment whose templates are these files, by name, with these texts."""

    def source(name: str) -> tuple[str, str, Callable[[], bool]] | None:
        path = files.get(name)
        if path is None:
            return None
        try:
            return texts[name].decode(), path, lambda: True
        except UnicodeDecodeError:
            raise TemplateSyntaxError("not UTF-8", 1, name, path) from None

    sandbox = _Sandbox(
        loader=FunctionLoader(source),
        undefined=_Undefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
        bytecode_cache=_Bytecode(
            str(shipped("templates") / "__pycache__"), f"gpuspec-{__version__}-%s.cache"
        ),
    )
    filters: dict[str, Callable[..., Any]] = sandbox.filters
    sandbox.filters = {name: filters[name] for name in FILTERS} | {"indent": _indent}
    sandbox.tests = {name: sandbox.tests[name] for name in TESTS}
    sandbox.globals = {}
    return sandbox


@pass_context
def _finalize(_: Context, value: object) -> object:
    """Return the output of a template's expression: the token of a part of the plan, or a constant.

    It takes the context so that Jinja2 does not evaluate constants at compile time.
    """
    text = str(_plain(value))
    _take(len(text) + 1)
    return text


def _plain(value: object) -> object:
    """Return the text of a value that can be written. Raises `TypeError` for other values."""
    if isinstance(value, View | Undefined | str | int):
        return value
    raise TypeError(f"a template writes values of the plan and strings, not {type(value).__name__}")


def _indent(text: Any, width: Any = 4, first: bool = False, blank: bool = False) -> str:
    """Indent as Jinja2's filter does, and count the output."""
    if not isinstance(text, str) or not isinstance(width, int):
        raise TypeError("`indent` takes a string and a number of spaces")
    lines = 1 + sum(map(text.count, _BREAKS))
    _spend(lines)
    _take(lines * max(width, 0) + len(text))
    return do_indent(text, width, first, blank)
