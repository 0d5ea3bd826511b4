"""Placeholders that a template left in a text: `$NAME`, `${NAME}`, `{NAME}`, `{{ name }}`, `<name>`,
`__NAME__`, `YOUR_NAME`."""

from __future__ import annotations

import re
from functools import cache


def has_signs(text: str) -> bool:
    """Return whether a text may have a placeholder, without a search for one."""
    return any(sign in text for sign in ("$", "{{", "{%", "<", "__", "YOUR"))


def placeholder(value: object) -> str | None:
    """Return the first placeholder in a text; None for other values, and for a text without one.

    `$(NAME)` is no placeholder: containers, Tekton and Kustomize fill it in.
    """
    if not isinstance(value, str) or not any(
        sign in value for sign in ("$", "{", "<", "__", "YOUR")
    ):
        return None
    match = _pattern().search(value)
    return match[0] if match else None


def blank_name(value: object) -> str | None:
    """Return a placeholder in place of an object's name: in `pvc-PVC_NAME`, `NAMESPACE`, `pod-{}` and
    `...` too, since names are in lower case, without braces."""
    sign = placeholder(value)
    if sign is not None or not isinstance(value, str):
        return sign
    if value == "..." or "{}" in value:
        return value
    if value == value.lower():
        return None
    words = (match[0] for match in _words().finditer(value))
    return next((word for word in words if "_" in word or word in _BLANKS), None)


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


_BLANKS = frozenset(
    (
        *("APP", "CHANGEME", "CLUSTER", "DOMAIN", "ENV", "HOST", "HOSTNAME", "NAME", "NAMESPACE"),
        *("PLACEHOLDER", "PROJECT", "REGION", "REPLACEME", "TEAM", "USER", "ZONE"),
    )
)
"""Words that are placeholders without a sign, where text is in lower case."""


_FOR_USERS = (
    r"<[A-Za-z][\w .:/-]*>|(?<!\w)__[A-Z][A-Z0-9_]*__(?!\w)"
    r"|(?<![\w$])(?:[A-Z]+[ _-])*YOUR(?:[ _-][A-Z0-9]+)+(?!\w)"
)


def is_for_users(value: object) -> bool:
    """Return whether a value is nothing but a word that users replace, such as `<name>`."""
    return (
        isinstance(value, str)
        and (value[:1] in ("<", "_") or "YOUR" in value)
        and _for_users().fullmatch(value) is not None
    )


@cache
def _for_users() -> re.Pattern[str]:
    return re.compile(_FOR_USERS)


@cache
def _words() -> re.Pattern[str]:
    return re.compile(r"(?<![A-Za-z0-9_$])[A-Z][A-Z0-9_]*(?![A-Za-z0-9_])")


@cache
def _pattern() -> re.Pattern[str]:
    # Few texts have such signs: most runs never come here.
    return re.compile(
        r"\$\{\{?[^{}\n]+\}?\}"  # shells and Flux, OpenShift's ${{NUMBER}}
        r"|\{\{[^{}\n]+\}\}|\{%[^{}\n]+%\}"  # Helm, Jinja
        r"|(?<![\w$])\$[A-Za-z_]\w*"  # shells
        r"|(?<![\w$}{])\{[A-Z][A-Z0-9_]*\}"  # Python
        rf"|{_FOR_USERS}"
    )
