"""Starter specs, optionally for a given model and GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gpuspec.lint.model import Finding

_SHORTEST = 2048
"""The shortest acceptable context, in tokens; if less fits, the GPUs are too few."""
_LIKE = 0.8
"""The similarity above which a model name is probably a misspelling. It is high, because many names
differ only in their size."""


def starter(
    name: str, model: str | None = None, gpus: Sequence[str] = (), count: int | None = None
) -> str:
    """Return the text that `gpuspec init` prints for a kind, optionally for a model and GPUs.

    It renders on the built-in profile without an error, with the longest context that fits. Raises
    `KeyError` for an unknown kind, and `InputError` if no context fits.
    """
    from gpuspec.spec.starters import starter as text_of

    text = text_of(name)
    if model is None and not gpus and count is None:
        return text
    # Imported only where something is asked for: start-up counts.
    from gpuspec.manifests import InputError, Problem
    from gpuspec.spec.starters.filling import StarterOptions, filled

    findings: tuple[Finding, ...] = ()
    for context in _contexts(model):
        filled_text = filled(name, text, StarterOptions(model, gpus, count, context))
        findings = _errors(name, filled_text)
        if not findings:
            return filled_text
    raise InputError([Problem(finding.message, hint=finding.note) for finding in findings])


def nearest_model(name: str) -> str | None:
    """Return the known model that was probably meant; None if the name is known, or similar to
    none."""
    from difflib import get_close_matches

    from gpuspec.models import known_models

    names_by_folded = {
        name_of_model.casefold(): name_of_model
        for model in known_models()
        for name_of_model in (model.name, *model.also)
    }
    if name.casefold() in names_by_folded:
        return None
    close = get_close_matches(name.casefold(), names_by_folded, n=1, cutoff=_LIKE)
    return names_by_folded[close[0]] if close else None


def _contexts(model: str | None) -> Iterator[int | None]:
    """Yield the model's own context length, and shorter ones."""
    from gpuspec.models import known_model

    yield None
    model_entry = None if model is None else known_model(model)
    tokens = 0 if model_entry is None else model_entry.context // 2
    while tokens >= _SHORTEST:
        yield tokens
        tokens //= 2


def _errors(name: str, text: str) -> tuple[Finding, ...]:
    """Return the errors in the objects to which a text renders.

    Raises `InputError` if it cannot be rendered; without places, because the user does not have the
    text yet.
    """
    from gpuspec.facade.linting import lint_renderings
    from gpuspec.facade.workloads import render
    from gpuspec.manifests import InputError, Problem, read
    from gpuspec.plan import Refusal
    from gpuspec.spec import parse_profile, parse_workload
    from gpuspec.spec.starters.filling import PROFILE

    try:
        (document,) = read(text, f"gpuspec init {name}")
        if name == PROFILE:
            parse_profile(document)
            return ()
        return lint_renderings([render(parse_workload(document))]).findings
    except InputError as error:
        problems = [Problem(problem.message, hint=problem.hint) for problem in error.problems]
        raise InputError(problems) from None
    except Refusal as refusal:
        reasons = [Problem(reason.text, hint=reason.hint) for reason in refusal.reasons]
        raise InputError(reasons) from None
