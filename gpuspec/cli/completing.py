"""Completions of a half-typed word of the command line."""

import typer


def complete_profile(incomplete: str) -> list[str]:
    """Return the built-in names, with the files of profiles; the shell completes files by itself."""
    from pathlib import Path

    from gpuspec import profile_names
    from gpuspec.escaping.characters import shows

    names = [name for name in profile_names() if name.startswith(incomplete)]
    if not names:
        return []
    files = sorted(
        f"{path}/" if path.is_dir() else str(path)
        for path in Path().glob(f"{incomplete}*" if incomplete else "[!.]*")
        if (path.is_dir() or path.suffix in (".yaml", ".yml")) and shows(path.name)
    )
    return [*names, *files]


def complete_rule(incomplete: str) -> list[str]:
    """Return the codes of rules, or their names if no code begins with the word."""
    from gpuspec import rules

    all_rules = rules()
    codes = [rule.code for rule in all_rules if rule.code.startswith(incomplete)]
    return codes or [rule.name for rule in all_rules if rule.name.startswith(incomplete)]


def complete_target(incomplete: str) -> list[str]:
    """Return the targets."""
    from gpuspec import target_names

    return [name for name in target_names() if name.startswith(incomplete)]


def complete_setting(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the workloads of the specs on the command line, each as the beginning of a setting."""
    from gpuspec import InputError, load

    # Before a value that is still to come, nothing of the line has been given to its parameters.
    words = (*(ctx.params.get("specs") or ()), *ctx.args)
    paths = [word for word in words if not word.startswith("-")]
    try:
        names = [workload.name for workload in load(*paths)] if paths else []
    except InputError:
        return []
    return [f"{name}:" for name in names if name.startswith(incomplete)]
