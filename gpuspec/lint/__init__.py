"""The linter: rules over Kubernetes objects and specs, and what they find."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gpuspec.lint.engine import Engine
    from gpuspec.lint.model import Finding, Found, Rule
    from gpuspec.lint.raised import Raised
    from gpuspec.lint.result import Result as LintResult
    from gpuspec.lint.result import Suppressed
    from gpuspec.loading.feeds import TextFeed
    from gpuspec.loading.notes import Note
    from gpuspec.loading.units import Feed, Unit, Unread
    from gpuspec.settings.severity import Severity

__all__ = [
    "Engine",
    "Feed",
    "Finding",
    "Found",
    "LintResult",
    "Note",
    "Raised",
    "Rule",
    "Severity",
    "Suppressed",
    "TextFeed",
    "Unit",
    "Unread",
]

_HOMES = {
    "Engine": "lint.engine",
    "Feed": "loading.units",
    "Finding": "lint.model",
    "Found": "lint.model",
    "LintResult": "lint.result",
    "Note": "loading.notes",
    "Raised": "lint.raised",
    "Rule": "lint.model",
    "Severity": "settings.severity",
    "Suppressed": "lint.result",
    "TextFeed": "loading.feeds",
    "Unit": "loading.units",
    "Unread": "loading.units",
}


def __getattr__(name: str) -> object:
    """Names of the room, imported when they are first asked for: `render` needs few of them."""
    if name in _HOMES:
        from importlib import import_module

        home = import_module(f"gpuspec.{_HOMES[name]}")
        return getattr(home, "Result" if name == "LintResult" else name)
    raise AttributeError(f"module 'gpuspec.lint' has no attribute {name!r}")
