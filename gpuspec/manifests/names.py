"""Kubernetes' rules for names and labels. Each function returns the problem, or None."""

import re

_LABEL = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_DNS_LABEL = re.compile(_LABEL)
_DNS_SUBDOMAIN = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_DNS_1035_LABEL = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_QUALIFIED = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")


def dns_label(name: str) -> str | None:
    """Check an RFC 1123 label: most names (containers, namespaces, ports' prefixes); at most 63."""
    if problem := _length_problem(name, 63):
        return problem
    if not _DNS_LABEL.fullmatch(name):
        return "may hold only a-z, 0-9 and '-', and must begin and end with a letter or digit"
    return None


def dns_1035_label(name: str) -> str | None:
    """Check an RFC 1035 label, which begins with a letter: names of Services; at most 63."""
    if problem := _length_problem(name, 63):
        return problem
    if not _DNS_1035_LABEL.fullmatch(name):
        return "may hold only a-z, 0-9 and '-', and must begin with a letter, and not end with '-'"
    return None


def dns_subdomain(name: str) -> str | None:
    """Check an RFC 1123 subdomain: names of most objects; labels joined by dots; at most 253 in
    all."""
    if problem := _length_problem(name, 253):
        return problem
    if not _DNS_SUBDOMAIN.fullmatch(name):
        return (
            "may hold only a-z, 0-9, '-' and '.', and each part between dots must begin and end with"
            " a letter or digit"
        )
    return None


def label_key(key: str) -> str | None:
    """Check the key of a label, an annotation or a taint, or the name of an extended resource."""
    prefix, slash, name = key.rpartition("/")
    if slash and (problem := dns_subdomain(prefix)):
        return _in_part(prefix, "before", problem)
    problem = _length_problem(name, 63)
    if problem is None and not _QUALIFIED.fullmatch(name):
        problem = _QUALIFIED_RULE
    return _in_part(name, "after", problem) if slash and problem else problem


def _in_part(part: str, where: str, problem: str) -> str:
    """Return the problem with a part of a key, as a phrase about the key."""
    return f"has '{part}' {where} '/', which {problem}" if part else f"has nothing {where} '/'"


def label_value(value: str) -> str | None:
    """Check the value of a label or a taint, which may be empty; at most 63."""
    if not value:
        return None
    if problem := _length_problem(value, 63):
        return problem
    return None if _QUALIFIED.fullmatch(value) else _QUALIFIED_RULE


_QUALIFIED_RULE = (
    "may hold only letters, digits, '-', '_' and '.', and must begin and end with a letter or digit"
)


def _length_problem(text: str, most: int) -> str | None:
    if not text:
        return "is empty"
    if len(text) > most:
        return f"is {len(text)} characters long; at most {most} are allowed"
    return None
