"""What `gpuspec lint --show-settings` prints."""

from gpuspec.cli.linting import Asked
from gpuspec.cli.terminal import data


def show_settings(asked: Asked) -> None:
    """Print the settings that apply, in the form of a configuration.

    Raises `InputError` for a configuration that is wrong, and for words that mean no rule.
    """
    from gpuspec import lint_settings

    given = {
        "force-exclude": asked.force_exclude,
        "schema-locations": list(asked.schemas),
        "profile": asked.cluster[0] if asked.cluster else None,
        "baseline": asked.baseline,
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
