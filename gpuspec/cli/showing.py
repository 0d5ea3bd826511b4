"""What `gpuspec lint --show-settings` prints."""

import os

from gpuspec.cli.linting import LintOptions
from gpuspec.cli.terminal import data


def show_settings(asked: LintOptions) -> None:
    """Print the settings that apply, in the form of a configuration.

    Raises `InputError` for a configuration that is wrong, and for words that mean no rule.
    """
    from gpuspec import lint_settings

    given = {
        "force-exclude": asked.force_exclude,
        "schema-locations": [_written(place) for place in asked.schemas],
        "profile": _written(asked.cluster[0]) if asked.cluster else None,
        "baseline": _written(asked.baseline) if asked.baseline else None,
    }
    data(
        lint_settings(
            *asked.paths,
            select=asked.select,
            ignore=asked.ignore,
            config=asked.config,
            stdin=asked.stdin,
            given={name: value for name, value in given.items() if value},
        )
    )


def _written(path: str) -> str:
    """Return a path as text: bytes of it that are no UTF-8, which no YAML can hold, are escaped."""
    return os.fsencode(path).decode(errors="backslashreplace")
