"""Text that KServe reads as a Go template, and that is not a valid one.

Source: kserve/kserve at v0.20.0, `ReplaceVariables` of
pkg/controller/v1alpha2/llmisvc/config_merge.go: the whole object, as JSON, is one template.
"""

import re
from collections.abc import Iterator

from gpuspec.lint.context import Context
from gpuspec.lint.model import RawFinding, Rule
from gpuspec.manifests import Path
from gpuspec.objects.objects import Object

RULE = Rule(
    "GPU854",
    "read-as-template",
    "warning",
    "KServe evaluates text in double braces as a Go template that fails",
)
_CALLED = re.compile(r"\{\{-?\s*([A-Za-z_]\w*)")
"""The functions with which an action may begin."""
_KNOWN = frozenset(
    (
        # Of Go's text/template: its actions, its constants, its functions.
        *("block", "break", "continue", "define", "else", "end", "if", "range", "template", "with"),
        *("false", "nil", "true", "and", "call", "eq", "ge", "gt", "html", "index", "js", "le"),
        *("len", "lt", "ne", "not", "or", "print", "printf", "println", "slice", "urlquery"),
        # KServe's own.
        *("ChildName", "kvTransferConfig", "shutdownTimeout"),
    )
)


def check(obj: Object, context: Context) -> Iterator[RawFinding]:
    """Yield all text of the object, but for its status."""
    for path, value in _texts({key: obj.value[key] for key in obj.value if key != "status"}, ()):
        unknown = [
            function_name for function_name in _CALLED.findall(value) if function_name not in _KNOWN
        ]
        if unknown:
            yield RawFinding(
                obj.path(*path),
                "KServe reads "
                f"`{{{{` as the start of a Go template, which has no function `{unknown[0]}`: KServe cannot process the object",
                note="move the text into a file of a ConfigMap, or write {{`{{`}} for two braces",
                confidence="likely",
            )


def _texts(value: object, path: Path) -> Iterator[tuple[Path, str]]:
    """Yield every string in a value, with its path."""
    if isinstance(value, str):
        if "{{" in value:
            yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _texts(inner, (*path, index))
