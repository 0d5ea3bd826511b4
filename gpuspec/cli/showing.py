"""What `gpuspec lint --show-settings` prints."""

import os

from gpuspec.cli.linting import LintOptions
from gpuspec.cli.terminal import data


def show_settings(lint_options: LintOptions) -> None:
    """Print the settings that apply, in the form of a configuration.

    Raises `InputError` for a wrong configuration, and for names of unknown rules.
    """
    from gpuspec import lint_settings

    option_values = {
        "force-exclude": lint_options.force_exclude,
        "schema-locations": [_written(place) for place in lint_options.schemas],
        "profile": _written(lint_options.cluster[0]) if lint_options.cluster else None,
        "baseline": _written(lint_options.baseline) if lint_options.baseline else None,
    }
    data(
        lint_settings(
            *lint_options.paths,
            select=lint_options.select,
            ignore=lint_options.ignore,
            config=lint_options.config,
            stdin=lint_options.stdin,
            given={name: value for name, value in option_values.items() if value},
        )
    )


def _written(path: str) -> str:
    """Return a path as text: bytes that are not UTF-8, which YAML cannot hold, are escaped."""
    return os.fsencode(path).decode(errors="backslashreplace")
