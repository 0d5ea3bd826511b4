"""Placeholders that a template left in a text: `$NAME`, `${NAME}`, `{{ name }}`, `<name>`."""

from __future__ import annotations

import re
from functools import cache


def has_signs(text: str) -> bool:
    """Return whether a text may have a placeholder, without a search for one."""
    return "$" in text or "{{" in text or "{%" in text or "<" in text


def placeholder(value: object) -> str | None:
    """Return the first placeholder in a text; None for other values, and for a text without one.

    `$(NAME)` is no placeholder: containers, Tekton and Kustomize fill it in.
    """
    if not isinstance(value, str) or not ("$" in value or "{" in value or "<" in value):
        return None
    match = _pattern().search(value)
    return match[0] if match else None


def blank_name(value: object) -> str | None:
    """Return a placeholder in place of an object's name: `PVC_NAME` is one too."""
    if isinstance(value, str) and "_" in value and value.isupper() and value.isidentifier():
        return value
    return placeholder(value)


def blank_image(value: object) -> str | None:
    """Return a placeholder in place of an image's name: `IMAGE` and `gcr.io/PROJECT_ID/x` are
    placeholders too, since repositories are in lower case.
    """
    if not isinstance(value, str) or value == value.lower():
        return placeholder(value)
    folders = value.partition("@")[0].split("/")
    names = (*folders[:-1], folders[-1].partition(":")[0])
    return next(
        (name for name in names if name.isupper() and name.isidentifier()), placeholder(value)
    )


@cache
def _pattern() -> re.Pattern[str]:
    # Few texts have such signs: most runs never come here.
    return re.compile(
        r"\$\{\{?[^{}\n]+\}?\}"  # shells and Flux, OpenShift's ${{NUMBER}}
        r"|\{\{[^{}\n]+\}\}|\{%[^{}\n]+%\}"  # Helm, Jinja
        r"|(?<![\w$])\$[A-Za-z_]\w*"  # shells
        r"|<[A-Za-z][\w .:/-]*>"  # people
    )
