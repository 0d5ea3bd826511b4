"""The rules by code. A rule's module is imported only if there is something for it to check."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

import msgspec

from gpuspec.lint.model import Rule
from gpuspec.lint.rows import ROWS, Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gpuspec.lint.model import RawFinding


class LoadedRule(msgspec.Struct, frozen=True):
    """A rule with its check."""

    row: Row
    rule: Rule
    check: Callable[..., Iterator[RawFinding]]


@cache
def load(row: Row) -> LoadedRule:
    """Import the module of a rule."""
    module: Any = import_module(f"gpuspec.lint.rules.{row.module}")
    return LoadedRule(row, module.RULE, _unchecked if row.scope == "text" else module.check)


def _unchecked(*_: object) -> Iterator[RawFinding]:
    """Return an empty check, for rules whose findings come from the parser."""
    return iter(())


def rule(code: str) -> Rule:
    """Return a rule by its code. Raises `KeyError`."""
    for row in ROWS:
        if row.code == code:
            return load(row).rule
    raise KeyError(code)


def rules() -> tuple[Rule, ...]:
    """Return all rules, by code."""
    return tuple(load(row).rule for row in ROWS)
