"""Credentials in plain text: variables that hold one, patterns of real ones, and placeholders."""

from __future__ import annotations

import re
from functools import cache

from gpuspec import runtimes
from gpuspec.numbers import is_digits

_HUBS = {
    "ANTHROPIC_API_KEY",
    "COMET_API_KEY",
    "HF_API_TOKEN",
    "HF_TOKEN",
    "HUGGINGFACEHUB_API_TOKEN",
    "HUGGINGFACE_API_TOKEN",
    "HUGGINGFACE_HUB_TOKEN",
    "HUGGINGFACE_TOKEN",
    "HUGGING_FACE_HUB_TOKEN",
    "HUGGING_FACE_TOKEN",
    "NEPTUNE_API_TOKEN",
    "NGC_API_KEY",
    "NGC_CLI_API_KEY",
    "NVIDIA_API_KEY",
    "OPENAI_API_KEY",
    "WANDB_API_KEY",
}
_HUB_FLAGS = ("--hf-token", "--huggingface-token", "--ngc-api-key", "--wandb-api-key")
_STAND_INS = (
    "<",
    "{{",
    "${",
    "your",
    "placeholder",
    "replace",
    "change",
    "todo",
    "xxx",
    "...",
    "insert",
    "abcdefghijklmnop",
    "1234567890",
)
# Servers on one's own machines are asked with a key that nobody checks.
_SHORTEST = 20
_FEWEST = 10
"""Number of different characters below which a text is no real credential."""
_DUMMIES = {
    "empty",
    "none",
    "dummy",
    "fake",
    "test",
    "token",
    "not-needed",
    "not-used",
    "na",
    "no-key",
}


@cache
def variables() -> frozenset[str]:
    """Return variables that hold a credential of a hub, a registry, a tracker or a server.

    Not every name with `TOKEN`: `MAX_TOTAL_TOKENS` is a number.
    """
    return _chosen()[0] | _HUBS


@cache
def flags() -> tuple[str, ...]:
    """Return options that hold a credential."""
    return (*_HUB_FLAGS, *_chosen()[1])


def is_chosen(name: str) -> bool:
    """Return whether users choose the value of a variable or option themselves, so that it has no
    fixed form."""
    return any(name in names for names in _chosen())


@cache
def _chosen() -> tuple[frozenset[str], frozenset[str]]:
    """Return variables and options of the keys that clients of servers send."""
    keys = [key for name in runtimes.names() if (key := runtimes.get(name).settings.api_key)]
    variable_names = (entry.partition("=")[0] for key in keys for entry in key.environment)
    return frozenset(variable_names), frozenset().union(*(key.flags for key in keys))


@cache
def _shapes() -> re.Pattern[str]:
    # gitleaks v8.28.0 config/gitleaks.toml
    return re.compile(
        r"(?<![A-Za-z0-9_-])(?:hf_[A-Za-z0-9]{30,}|nvapi-[A-Za-z0-9_-]{40,}|sk-[A-Za-z0-9_-]{32,}"
        r"|gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{82}|glpat-[A-Za-z0-9_-]{20,}"
        r"|A[KS]IA[0-9A-Z]{16}|AIza[\w-]{35}|api_org_[A-Za-z]{34}|dapi[a-f0-9]{32}"
        r"|pplx-[A-Za-z0-9]{48}|npm_[A-Za-z0-9]{36}|xoxb-[0-9]{10,13}-[0-9]{10,13}[\w-]*)"
    )


@cache
def _without_digits() -> re.Pattern[str]:
    """Return the form of Hugging Face's tokens, which have only letters."""
    return re.compile(r"(?:hf|api_org)_[a-z]{30,}")


def is_credential(value: str) -> bool:
    """Return whether a text has the form of a real credential."""
    if len(value) < _SHORTEST:
        return False
    match = _shapes().search(value)
    # Made up of one letter, it stands in for one.
    return match is not None and len(set(match[0])) > _FEWEST and not is_stand_in(match[0])


def is_stand_in(value: str) -> bool:
    """Return whether a text is a placeholder for the real value.

    No hub's credential is short, or without a digit, except Hugging Face's.
    """
    plain = value.strip().lower()
    if plain.startswith("$") or any(word in plain for word in _STAND_INS):
        return True
    if _without_digits().fullmatch(plain):
        return len(set(plain)) <= _FEWEST
    return len(plain) < _SHORTEST or not any(map(is_digits, plain))


def is_nothing(value: str) -> bool:
    """Return whether a text is no credential: empty, made from another variable, or a dummy."""
    plain = value.strip().lower()
    return not plain or "$(" in plain or plain.replace("_", "-") in _DUMMIES
