"""The Jinja2 environment of templates: a sandbox with nothing in it but the plan."""

import sys
from collections.abc import Callable
from pathlib import Path as FilePath
from typing import Any

from jinja2 import FileSystemBytecodeCache, FunctionLoader, StrictUndefined, Undefined, pass_context
from jinja2.bccache import Bucket
from jinja2.exceptions import SecurityError, TemplateSyntaxError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from gpuspec.locate import shipped
from gpuspec.render.view import View, missing

# What works on tokens. A filter that changes text would change a token, not the value behind it.
FILTERS = ("default", "indent")


class _Undefined(StrictUndefined):
    """What a template asks for and is not there: an error that says what is."""

    __slots__ = ()

    @property
    def _undefined_message(self) -> str:
        if isinstance(self._undefined_obj, View):
            return missing(self._undefined_obj, str(self._undefined_name))
        if self._undefined_hint is None and isinstance(self._undefined_name, str):
            return f"`{self._undefined_name}` is not defined; templates see `plan`"
        return str(super()._undefined_message)


class _Sandbox(ImmutableSandboxedEnvironment):
    """A sandbox in which nothing is computed: `'x' * 10**9` is no way to lay out an object."""

    intercepted_binops = frozenset(("*", "**", "%"))

    def getattr(self, obj: Any, attribute: str) -> Any:
        # A view guards itself; the sandbox's own checks take a third of the time of laying out.
        if isinstance(obj, View) and not attribute.startswith("_"):
            try:
                return getattr(obj, attribute)
            except AttributeError:
                return self.undefined(obj=obj, name=attribute)
        return super().getattr(obj, attribute)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        raise SecurityError(f"templates lay out and do not compute: `{operator}` is not allowed")


class _Bytecode(FileSystemBytecodeCache):
    """Compiled templates, kept beside ours as Python keeps its own: where it can, and silently.

    Compiling them is most of the time of a first render. A cache entry is used only for the very
    text it was made from.
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


def environment(files: dict[str, str]) -> ImmutableSandboxedEnvironment:
    """An environment whose templates are these files, by name."""

    def source(name: str) -> tuple[str, str, Callable[[], bool]] | None:
        path = files.get(name)
        if path is None:
            return None
        try:
            return FilePath(path).read_text(encoding="utf-8"), path, lambda: True
        except UnicodeDecodeError:
            raise TemplateSyntaxError("not UTF-8", 1, name, path) from None

    made = _Sandbox(
        loader=FunctionLoader(source),
        undefined=_Undefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
        bytecode_cache=_Bytecode(str(shipped("templates") / "__pycache__")),
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
    if isinstance(value, View | Undefined):
        return str(value)
    if isinstance(value, str | int):
        return value
    raise TypeError(f"a template writes parts of the plan and words, not {type(value).__name__}")
