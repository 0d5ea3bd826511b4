"""What `gpuspec schema add` does, once its arguments are known."""

import sys

from gpuspec.cli.compose import STDIN, missing
from gpuspec.cli.progress import progress
from gpuspec.cli.terminal import is_terminal, say


def add(files: list[str], output: str | None) -> None:
    """Write the schemas of CustomResourceDefinitions, and print the changes. Raises `InputError`."""
    from gpuspec import InputError, Problem, add_schemas
    from gpuspec.cli.scratch import scratch

    if not files:
        hint = "name the CustomResourceDefinitions: gpuspec schema add crds/"
        raise InputError([Problem("FILE is missing", hint=hint)])
    if output == "":
        raise InputError([Problem("-o: the folder's name is empty")])
    if problems := missing(files):
        raise InputError(problems)
    if STDIN in files and is_terminal(sys.stdin):
        say("reading from the terminal; end with Ctrl-D")
    tell = progress("writing schemas", stays=True)
    with scratch():
        done = add_schemas(*files, folder=output, tell=tell)
    counts = {"written": done.written, "unchanged": done.unchanged}
    summary = ", ".join(f"{len(kinds)} {state}" for state, kinds in counts.items() if kinds)
    say(f"{done.folder}/: {summary}")
    if done.shadowed:
        say(f"note: the new schemas replace the bundled schemas of {', '.join(done.shadowed)}")
